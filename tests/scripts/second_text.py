import torch

inputs = torch.tensor(
[[0.43, 0.15, 0.89], # Your
 [0.55, 0.87, 0.66], # journey
 [0.57, 0.85, 0.64], # starts
 [0.22, 0.58, 0.33], # with
 [0.77, 0.25, 0.10], # one
 [0.05, 0.80, 0.55]] # step
)

query = inputs[1]  # "journey"
attn_scores = torch.empty(6)
for i, x_i in enumerate(inputs):
    attn_scores[i] = torch.dot(x_i, query)
print(attn_scores)
# tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])

attn_weights = torch.softmax(attn_scores, dim=0)
# tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])

context_vec = torch.zeros(query.shape)
for i, x_i in enumerate(inputs):
    context_vec += attn_weights[i] * x_i
# tensor([0.4419, 0.6515, 0.5683])

attn_weights = torch.softmax(inputs @ inputs.T, dim=-1)
all_context_vecs = attn_weights @ inputs
print(all_context_vecs)
# tensor([[0.4421, 0.5931, 0.5790],   # Your
#         [0.4419, 0.6515, 0.5683],   # journey
#         [0.4431, 0.6496, 0.5671],   # starts
#         [0.4304, 0.6298, 0.5510],   # with
#         [0.4671, 0.5910, 0.5266],   # one
#         [0.4177, 0.6503, 0.5645]])  # step

"""Operations that networks are made of: activations, normalisations, attention, losses, and their slopes."""

from __future__ import annotations

ENTRIES: dict[str, tuple[str, str]] = {
    # -- activations ----------------------------------------------------------------------------------------------
    "relu": ("Every number where it is positive, 0 elsewhere.", "x: F.relu(x)"),
    "leaky_relu": ("Every number where it is positive, a small part of it elsewhere.", "x: F.leaky_relu(x)"),
    "gelu": ("Every number times the share of the bell curve that lies below it.", "x: F.gelu(x)"),
    "silu": ("Every number times its own sigmoid.", "x: F.silu(x)"),
    "sigmoid": ("Every number is pressed between 0 and 1.", "x: torch.sigmoid(x)"),
    "softplus": (
        "A ReLU without a corner: the logarithm of one more than the exponential.",
        "x: np.log(1 + np.exp(x))",
    ),
    "hardtanh": ("Every number is kept between two limits.", "x, low, high: np.minimum(np.maximum(x, low), high)"),
    "hardsigmoid": (
        "A sigmoid made of straight lines: 0 up to −3, 1 from 3 on.",
        "x: np.minimum(np.maximum(x + 3, 0), 6) / 6",
    ),
    "hardswish": (
        "Every number times a sigmoid made of straight lines.",
        "x: x * np.minimum(np.maximum(x + 3, 0), 6) / 6",
    ),
    "mish": ("Every number times the tanh of its softplus.", "x: x * np.tanh(np.log(1 + np.exp(x)))"),
    "threshold": (
        "Every number above a limit, and one and the same number elsewhere.",
        "x, limit, value: np.where(x > limit, x, value)",
    ),
    "elu": ("Every number where it is positive, less and less of it elsewhere, down to a floor.", "x: F.elu(x)"),
    "celu": ("Every number where it is positive, less and less of it elsewhere, down to a floor.", "x: F.celu(x)"),
    "_prelu_kernel": ("Every number where it is positive, a learned part of it elsewhere.", "x, a: F.leaky_relu(x)"),
    "glu": ("One half of the numbers, each times the sigmoid of its partner in the other half.", "x: F.glu(x)"),
    "log_sigmoid_forward": ("The logarithm of the sigmoid.", "x: np.log(torch.sigmoid(x))"),
    "log_sigmoid_forward[1]": ("A note for the backward pass.", "x: F.log_sigmoid_note(x)"),
    "softmax": ("Scores become positive weights that sum to 1.", "x, *, axis: torch.softmax(x, axis)"),
    "_safe_softmax": (
        "Scores become positive weights that sum to 1; a row with nothing to attend to becomes zeros.",
        "x, *, axis: torch.softmax(x, axis)",
    ),
    "log_softmax": ("The logarithm of the softmax.", "x, *, axis: np.log(torch.softmax(x, axis))"),
    "dropout": (
        "Some numbers, drawn at random, become 0; the others are made larger to make up for it.",
        "x: F.dropout(x)",
    ),
    "dropout[1]": ("Which numbers were kept.", "x: kept(x)"),
    # -- layers ---------------------------------------------------------------------------------------------------
    "linear": ("Every row times a matrix, plus the bias if there is one.", "x, W, b: x @ W.T + b"),
    "layer_norm": (
        "Each token is brought to mean 0 and variance 1, then scaled and shifted.",
        "x, *, gain, bias: F.layer_norm(x, gain, bias)",
    ),
    "layer_norm[1]": ("The mean of each token.", "x: torch.mean(x, -1)"),
    "layer_norm[2]": (
        "One divided by the standard deviation of each token.",
        "x: 1 / np.sqrt(np.var(x, -1) + epsilon)",
    ),
    "native_layer_norm": (
        "Each token is brought to mean 0 and variance 1, then scaled and shifted.",
        "x, *, gain, bias: F.layer_norm(x, gain, bias)",
    ),
    "rms_norm": ("Each token is divided by its root mean square, then scaled.", "x, *, gain: F.rms_norm(x, gain)"),
    "rms_norm[1]": (
        "One divided by the root mean square of each token.",
        "x: 1 / np.sqrt(np.mean(x ** 2, -1) + epsilon)",
    ),
    "_fused_rms_norm": (
        "Each token is divided by its root mean square, then scaled.",
        "x, *, gain: F.rms_norm(x, gain)",
    ),
    "batch_norm": (
        "Each channel is brought to mean 0 and variance 1, then scaled and shifted.",
        "x, *, gain, bias: F.batch_norm(x, gain, bias)",
    ),
    "running_mean": (
        "The mean that is kept for later moves a part of the way towards the mean of this batch.",
        "x, *, mean, momentum: (1 - momentum) * mean + momentum * np.mean(x)",
    ),
    "running_variance": (
        "The variance that is kept for later, over n − 1, moves a part of the way towards that of this batch.",
        "x, *, variance, momentum: (1 - momentum) * variance + momentum * np.var(x, ddof=1)",
    ),
    "group_norm": (
        "Each group of channels is brought to mean 0 and variance 1, then scaled and shifted.",
        "x, *, gain, bias: group_norm(x, gain, bias)",
    ),
    "native_group_norm": (
        "Each group of channels is brought to mean 0 and variance 1, then scaled and shifted.",
        "x, *, gain, bias: group_norm(x, gain, bias)",
    ),
    "native_group_norm[1]": ("The mean of each group of channels.", "x: torch.mean(x)"),
    "native_group_norm[2]": (
        "One divided by the standard deviation of each group of channels.",
        "x: 1 / np.sqrt(np.var(x) + epsilon)",
    ),
    "convolution": (
        (
            "A window of weights is moved over the input: at each place, the sum of products, plus a bias. "
            "Transposed, it is spread from each number of the input, and what meets in one place is added up."
        ),
        "x, W, b: conv(x, W) + b",
    ),
    "avg_pool2d": ("The mean of each window.", "x: avg_pool(x)"),
    "max_pool2d_with_indices": ("The largest number of each window.", "x: max_pool(x)"),
    "max_pool2d_with_indices[1]": ("Where the largest number of each window stands.", "x: max_pool_place(x)"),
    # -- attention ------------------------------------------------------------------------------------------------
    "scaled_dot_product_attention": (
        "Each query's mix of the values, weighted by how well it matches each key.",
        (
            "Q, K, V, *, mask, causal, scale: "
            "softmax((scale * (Q @ K.T) if scale else Q @ K.T / np.sqrt(d_k)) + mask + (M if causal else None)) @ V"
        ),
    ),
    "multi_head_attention": (
        "Several attentions side by side, each in a narrower space, and mixed by one matrix.",
        "Q, K, V: MultiHead(Q, K, V)",
    ),
    "encoder_block": (
        "Attention and a feed-forward network, each with a residual connection and a normalisation, in one call.",
        "x: EncoderBlock(x)",
    ),
    # -- losses ---------------------------------------------------------------------------------------------------
    "nll_loss": ("Minus the log-probability of the true answers.", "p, t: F.nll_loss(p, t)"),
    "nll_loss[1]": ("How many answers count.", "p, t: count(t)"),
    "nll_loss_forward": ("Minus the log-probability of the true answers.", "p, t: F.nll_loss(p, t)"),
    "mse_loss": ("The squares of the distances from the target.", "x, target: F.mse_loss(x, target)"),
    "binary_cross_entropy": (
        "Minus the logarithm of the probability that was given to the true one of two answers.",
        "p, t: -(t * np.log(p) + (1 - t) * np.log(1 - p))",
    ),
    "binary_cross_entropy_with_logits": (
        "Minus the logarithm of the probability that a score gives to the true one of two answers.",
        "x, t: -(t * np.log(torch.sigmoid(x)) + (1 - t) * np.log(1 - torch.sigmoid(x)))",
    ),
    "huber_loss": (
        "Half the square of the distance from the target where it is small, and its size where it is large.",
        "x, target: F.huber_loss(x, target)",
    ),
    "smooth_l1_loss": (
        "Half the square of the distance from the target where it is small, and its size where it is large.",
        "x, target: F.smooth_l1_loss(x, target)",
    ),
    "xlogy": ("A number times the logarithm of another; 0 where the first is 0.", "x, y: x * np.log(y)"),
    # -- slopes: what the backward pass does ----------------------------------------------------------------------
    "threshold_backward": (
        "A slope goes back where the number was above a limit, and nothing elsewhere.",
        "g, x, limit: np.where(x > limit, g, 0)",
    ),
    "tanh_backward": ("A slope goes back through a tanh.", "g, y: g * (1 - y ** 2)"),
    "sigmoid_backward": ("A slope goes back through a sigmoid.", "g, y: g * y * (1 - y)"),
    "silu_backward": ("A slope goes back through a SiLU.", "g, x: back_silu(g, x)"),
    "gelu_backward": ("A slope goes back through a GELU.", "g, x: back_gelu(g, x)"),
    "_softmax_backward_data": (
        "A slope goes back through a softmax: less the mean slope of the row, weighted by the weights.",
        "g, y, *, axis: y * (g - np.sum(g * y, axis))",
    ),
    "_log_softmax_backward_data": (
        "A slope goes back through the logarithm of a softmax.",
        "g, y, *, axis: g - np.exp(y) * np.sum(g, axis)",
    ),
    "nll_loss_backward": (
        "The slope of a loss at each log-probability: minus its share where the true answer is, 0 elsewhere.",
        "g, p, t: back_nll(g, t)",
    ),
    "mse_loss_backward": (
        "The slope of a squared distance: twice the distance.",
        "g, x, target: back_mse(g, x, target)",
    ),
    "embedding_dense_backward": ("The slopes of each row of a table, added up.", "g, ids: back_rows(g, ids)"),
    "native_layer_norm_backward": ("A slope goes back through a layer normalisation.", "g, x: back_norm(g, x)"),
    "_scaled_dot_product_flash_attention_for_cpu_backward": (
        "A slope goes back through attention.",
        "g, Q, K, V: back_attention(g, Q, K, V)",
    ),
    "placed": ("A slope goes back to where a part was taken out; 0 elsewhere.", "g, shape, i: placed(g, i)"),
    "picked": ("The part of a slope that belongs to one place.", "g, i: g[i]"),
    "slice_backward": ("A slope goes back to where a part was taken out; 0 elsewhere.", "g: placed(g)"),
    "select_backward": ("A slope goes back to where a part was taken out; 0 elsewhere.", "g: placed(g)"),
}

"""Section 2: a table has one vector for each word, attention has one for each sentence."""

from __future__ import annotations

from workings.experiments.experiment import CounterCheck, Experiment
from workings.experiments.material import gap, moved_rows, point, run, words_of
from workings.experiments.outcome import Outcome, at_least, exactly, is_so, shown

_FRUIT, _COMPANY = "an Apple a day", "Apple shares fell sharply"


def _one_vector_per_word(*, attention: bool = True) -> Outcome:
    address = "projected.output" if attention else "X"
    fruit, company = run("apple-a-day", _FRUIT), run("apple-a-day", _COMPANY)
    looked_up = [working["X[Apple]"].value for working in (fruit, company)]
    after = [working[f"{address}[Apple]"].value for working in (fruit, company)]
    when = "after attention" if attention else "without attention"
    return Outcome(
        f"Looked up, Apple has one vector in “{_FRUIT}” and in “{_COMPANY}”; {when} it stands at "
        f"{point(after[0], 3)} in the first and at {point(after[1], 3)} in the second.",
        (
            is_so("the two vectors looked up are the same to the last bit", not moved_rows(*looked_up)),
            exactly("the vector of the text (food, finance)", looked_up[0], [1.0, 0.2], decimals=2),
            is_so("Apple is in both sentences", all("Apple" in words_of(w, "X") for w in (fruit, company))),
            at_least("how far the two vectors are apart afterwards, in their largest difference", gap(*after), 0.1),
            shown("beside day: food, finance", after[0], 3),
            shown("beside shares: food, finance", after[1], 3),
        ),
    )


ONE_VECTOR_PER_WORD = Experiment(
    name="one-vector-per-word",
    title="One vector for Apple in every sentence, two after attention",
    text="first",
    place="section 2",
    claim="A look-up does not read the sentence: a word has one vector for all its meanings, the fruit and the "
    "company alike. A vector for this sentence has to be made from the sentence.",
    expected="The row looked up for Apple is the same to the last bit in both sentences; after attention the two rows "
    "differ by 0.1 or more.",
    see='workings show apple "Apple fell" --at "projected.output[Apple, finance]"',
    compute=_one_vector_per_word,
    counter=CounterCheck("what is compared is the table's rows, before attention", {"attention": False}),
)

"""Sections about the next word, the loop that writes, and the loss that teaches."""

from __future__ import annotations

import numpy as np

from workings import equations
from workings.examples import programs
from workings.examples.errors import near
from workings.examples.format import Section
from workings.examples.format_blocks import Generation, Loss, NextToken, TeacherForcing
from workings.examples.run import Run
from workings.recording.program import Box


def next_token(run: Run, section: NextToken) -> None:
    """Scores, probabilities and the choice, and the same at other temperatures or with few candidates (15)."""
    rows = run.input(section.input)
    words = run.vocabulary
    with run.within(section, "next_token"):
        call = run.program.call
        h = call(programs.last_row, rows, names="h") if np.ndim(rows.value) == 2 else run.program.alias("h", rows)
        W_out, b = output_weights(run, section, h.value.shape[-1])
        probabilities = call(equations.next_token, h, W_out, b, names="probabilities")
        logits = run.program.alias("logits", run.inner("logits", "next_token"))
        choice = call(equations.greedy, logits, names="choice")
        run.results(h=h, logits=logits, probabilities=probabilities, choice=choice, main="probabilities")
        if run.writing:
            return
        for number, degree in enumerate(section.temperatures):
            if degree <= 0:
                raise run.wrong(
                    "temperatures",
                    f"number {number + 1} is {degree:g}",
                    "numbers above 0",
                    "the limit at 0 is the greedy choice, which is shown anyway",
                )
            _other(run, f"temperature_{degree:g}".replace(".", "_"), "temperature", logits, float(degree))
        if section.top_k:
            if section.top_k < 0:
                raise run.wrong("top_k", f"found {section.top_k}", "1 or more", "leave it out to keep every word")
            _other(run, "top_k", "top_k", logits, section.top_k)
        if section.top_p != 1.0:
            if not 0.0 < section.top_p < 1.0:
                raise run.wrong("top_p", f"found {section.top_p:g}", "a number between 0 and 1", "leave it out for 1")
            _other(run, "top_p", "top_p", logits, section.top_p)
        run.program.working.notes.append(f"{section.name}: the largest score is that of {words[int(choice.value)]!r}.")


def _other(run: Run, name: str, equation: str, logits: Box, number: float) -> None:
    """The distribution of changed scores, in a group of its own."""
    titles = {
        "temperature": f"Temperature {number:g}",
        "top_k": f"The {number:g} best",
        "top_p": f"The first {number:g}",
    }
    with run.group(name, equation, titles[equation]):
        changed = run.program.call(equations.EQUATIONS[equation], logits, number, names="logits")
        run.program.label(changed, run.vocabulary)
        probabilities = run.program.call(equations.softmax, changed, names="probabilities")
        run.results(prefix=f"{name}.", logits=changed, probabilities=probabilities)


def output_weights(run: Run, section: NextToken | Loss, width: int) -> tuple[Box, Box]:
    """W_out and b: a row and a number for each word of the table."""
    words = run.vocabulary
    count = len(words)
    why = f"a row for each of the {count} words of the table, a column for each of the {width} of {section.input}"
    W_out = run.weight("W_out", section.W_out, (count, width), why)
    b = run.weight(
        "b", section.b, (count,), f"one for each word of the table, which has {count}", default=lambda: np.zeros(count)
    )
    run.program.label(W_out, words, run.columns_of(run.input(section.input)))
    run.program.label(b, words)
    return W_out, b


def generation(run: Run, section: Generation) -> None:
    """Turn by turn: the prefix is looked up, the repeated sections run on it, and the chosen word joins it."""
    sections = {s.name: s for s in run.example.document.section}
    repeated = []
    for number, name in enumerate(section.repeat):
        if name not in sections or name == section.name or f"{name}" not in run.values:
            raise run.wrong(
                ("repeat",),
                f"number {number + 1} is {name!r}, which is no earlier section",
                "names of earlier sections",
                near(name, [n for n in sections if n in run.values]),
            )
        repeated.append(sections[name])
    if not repeated or repeated[-1].kind != "next-token":
        raise run.wrong(
            ("repeat",), "the last section named does not choose a word", "one of kind next-token", "add it"
        )
    if section.stop and section.stop not in run.example.document.embeddings:
        raise run.wrong(("stop",), f"found {section.stop!r}", "a word of the table", near(section.stop, run.vocabulary))
    if section.turns < 1:
        raise run.wrong(("turns",), f"found {section.turns}", "1 or more", "each turn writes one word")
    from workings.examples.running import run_section

    before = dict(run.values), run.tokens, run.ids
    run.writing = True
    with run.within(section):
        for turn in range(section.turns):
            with run.program.group(str(turn + 1), kind="turn", title=f"Turn {turn + 1}: {' '.join(run.tokens)}"):
                if turn:
                    run.look_up_again()
                else:
                    run.program.alias("X", run.values["X"])
                for part in repeated:
                    run_section(run, part)
                choice = run.values[f"{repeated[-1].name}.choice"]
                _append(run, choice, _ending(run, section, turn, choice, repeated))
            if run.tokens[-1] == section.stop:
                break
        ids = run.program.alias("ids", run.ids)
        tokens = run.tokens
    run.values, run.tokens, run.ids = before
    run.writing = False
    run.values[section.name] = ids
    run.program.working.notes.append(f"{section.name} writes: {' '.join(tokens)}")


def _ending(run: Run, section: Generation, turn: int, choice: Box, repeated: list[Section]) -> tuple[int, ...] | None:
    """The words that would have made the loop another one than it was; None for every word but the one chosen."""
    if any(getattr(part, "hidden", ()) for part in repeated):
        return None
    if turn + 1 == section.turns or not section.stop:
        return ()
    stop = run.vocabulary.index(section.stop)
    return None if int(choice.value) == stop else (stop,)


def _append(run: Run, choice: Box, only: tuple[int, ...] | None) -> None:
    """The choice joins the prefix. It steers what follows: in a what-if, another choice runs the example again."""
    run.program.recorder.guard(choice, "the word chosen", only)
    run.ids = run.program.call(programs.append, run.ids, choice, names="ids")
    run.tokens = [*run.tokens, run.vocabulary[int(choice.value)]]
    run.program.label(run.ids, run.tokens)


def teacher_forcing(run: Run, section: TeacherForcing) -> None:
    with run.within(section, "teacher_forcing"):
        words = run.example.words(section.begin, run.place("begin"))
        if len(words) != 1:
            raise run.wrong(
                "begin", f"found {section.begin!r}", "one word of the table", "a sentence opens with one word"
            )
        begin = run.vocabulary.index(words[0])
        inputs, targets = run.program.call(equations.teacher_forcing, run.ids, begin, names=["inputs", "targets"])
        shifted = [words[0], *run.tokens[:-1]]
        run.program.label(inputs, shifted)
        run.results(inputs=inputs, targets=targets, rows=run.lookup(inputs, shifted, "rows"), main="rows")


def loss(run: Run, section: Loss) -> None:
    """The cross-entropy, the slope of one weight by the chain rule, and one step down that slope."""
    rows, targets = run.rows(section.input), run.input(section.targets, "targets")
    choices = run.convention("reduction"), run.convention("label_smoothing")
    with run.within(section, "cross_entropy"):
        call = run.program.call
        W_out, b = output_weights(run, section, rows.value.shape[1])
        if np.shape(targets.value) != (rows.value.shape[0],):
            raise run.wrong(
                "targets",
                f"{section.targets} has {np.size(targets.value)} numbers",
                f"{rows.value.shape[0]}, one for each row of {section.input}",
                "take the targets of teacher-forcing",
            )
        probabilities = call(equations.next_token, rows, W_out, b, names="probabilities")
        logits = run.program.alias("logits", run.inner("logits", "next_token"))
        total = _cross_entropy(run, logits, targets, choices)
        losses = run.program.alias("losses", run.inner("losses", "cross_entropy"))
        run.program.label(losses, run.labels_of(rows))
        run.results(logits=logits, probabilities=probabilities, losses=losses, loss=total, main="loss")
        if section.weight:
            word, column = _place_of_weight(run, section, rows)
            _gradient_and_step(run, section, (rows, targets, W_out, b, probabilities), (word, column), choices)
        elif section.learning_rate:
            raise run.wrong(
                "learning_rate", "a step is asked for, but no weight", 'weight = ["word", column]', "add weight"
            )


def _cross_entropy(run: Run, logits: Box, targets: Box, choices: tuple[str, float]) -> Box:
    reduction, smoothing = choices
    box: Box = run.program.call(
        equations.cross_entropy, logits, targets, label_smoothing=smoothing, reduction=reduction, names="loss"
    )
    return box


def _place_of_weight(run: Run, section: Loss, rows: Box) -> tuple[int, int]:
    """The row and column of the weight in W_out."""
    columns = list(run.columns_of(rows) or ())
    width = rows.value.shape[1]
    expected = f'["word", column] with a column {", ".join(columns) or f"from 0 to {width - 1}"}'
    if len(section.weight) != 2:
        raise run.wrong("weight", f"found {len(section.weight)} entries", expected, "name one weight of W_out")
    word, column = section.weight
    if word not in run.vocabulary:
        raise run.wrong("weight", f"the word {word!r} is not in the table", expected, near(str(word), run.vocabulary))
    place = columns.index(str(column)) if column in columns else column
    if not isinstance(place, int) or not 0 <= place < width:
        raise run.wrong("weight", f"found the column {column!r}", expected, near(str(column), columns))
    return run.vocabulary.index(str(word)), place


def _gradient_and_step(
    run: Run, section: Loss, values: tuple[Box, Box, Box, Box, Box], place: tuple[int, int], choices: tuple[str, float]
) -> None:
    """The chain rule for one weight, factor by factor; then the weight moves and the loss is taken again."""
    rows, targets, W_out, b, probabilities = values
    word, column = place
    call = run.program.call
    if choices[1]:
        raise run.wrong(
            "weight",
            "the slope is worked out for label_smoothing = 0",
            "no smoothing",
            "set it to 0 or leave weight out",
        )
    share = 1.0 / rows.value.shape[0] if choices[0] == "mean" else 1.0
    with run.group("gradient", "", f"How the loss changes with the weight of {run.vocabulary[word]!r}"):
        slope = call(programs.chain_rule, probabilities, targets, rows, word, column, share, names="gradient")
        run.result("gradient", slope)
    if section.learning_rate:
        with run.group("step", "", "One step down the slope"):
            rate = run.program.given("learning_rate", float(section.learning_rate))
            moved = call(programs.moved_weight, W_out, word, column, rate, slope, names="new_W_out")
            run.program.label(moved, run.vocabulary, run.columns_of(rows))
            after = call(programs.output_scores, rows, moved, b, names="logits")
            run.results(prefix="step.", W_out=moved, loss=_cross_entropy(run, after, targets, choices))

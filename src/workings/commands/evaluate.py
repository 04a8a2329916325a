"""`workings evaluate`: how good a trained model is, on text that it has not been trained on."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from workings.commands import output, runs
from workings.commands.options import as_user_errors, count, writing_options
from workings.commands.problems import UserError
from workings.commands.progress import Counter
from workings.wording import counted

if TYPE_CHECKING:
    from workings.text import ParallelCorpus
    from workings.training.embeddings import AnalogyScore
    from workings.training.evaluation import Translations
    from workings.training.scores import ClassificationScores, Perplexity, TranslationScores

_FILES = (
    "what to measure it on: a text; labelled texts; source and target, or both in one file (.tsv); four words a line. "
    "Left out: what its training validated on"
)

_STRIDE = (
    "of a language model: how far windows are apart, half the context unless given; the context itself puts them side "
    "by side, as training does for its validation loss"
)


class Result(NamedTuple):
    """What was found out about one text: for a reader, and for other programs."""

    name: str
    lines: list[str]
    data: dict[str, Any]


def options(parser: ArgumentParser) -> None:
    """What `workings evaluate` takes."""
    add = parser.add_argument
    add("run", metavar="RUN", help=runs.RUN_HELP)
    add("files", metavar="FILE", nargs="*", help=_FILES)
    add(
        "--beam",
        metavar="N",
        type=count,
        default=4,
        help="of a translator: how many beginnings are kept; 4 unless given",
    )
    add(
        "--alpha",
        metavar="A",
        type=float,
        default=0.6,
        help="of a translator: how far longer ones are favoured; 0.6 unless given",
    )
    add("--stride", metavar="N", type=count, help=_STRIDE)
    add("-f", "--format", choices=["txt", "json"], default="txt", help="txt, or json for other programs")
    writing_options(parser)
    add("-o", "--output", metavar="FILE", help="write to this file")


def run(found: Namespace) -> None:
    """Measure and tell. Raises UserError, TextError and TrainingError."""
    output.check_writable(found.output)
    shape = runs.shape_of(runs.open_run(found.run))
    measure = {
        "decoder-only": _language_model,
        "encoder-decoder": _translator,
        "encoder-only": _classifier,
        "embeddings": _embeddings,
    }[shape]
    results = list(measure(found))
    if found.format == "json":
        content = {"workings": 1, "run": found.run, "results": [{"text": r.name, **r.data} for r in results]}
        output.write(json.dumps(content, ensure_ascii=False, indent=1) + "\n", found.output)
        return
    said = [[each.name, *(f"  {line}".rstrip() for line in each.lines)] for each in results]
    output.write("\n\n".join("\n".join(lines) for lines in said), found.output)


def _language_model(found: Namespace) -> Iterator[Result]:
    from workings.text import TextCorpus
    from workings.training.evaluation import perplexity, usual_stride

    speaker = runs.language_model(found.run)
    if found.files:
        corpora = [(file, TextCorpus.open(file, speaker.tokeniser)) for file in found.files]
    else:
        corpora = [_validation(found.run)]
    quick = speaker.quick(found.weights, 8)
    context = speaker.model.config.context
    stride = found.stride or usual_stride(context)
    for name, corpus in corpora:
        with as_user_errors(name):
            scores = perplexity(quick.model, corpus, stride=stride, on_done=Counter("tokens", len(corpus) - 1))
        windows = {"context": context, "stride": stride}
        yield Result(name, [*_perplexity_lines(scores), _windows(**windows)], {**scores.to_dict(), **windows})


def _perplexity_lines(scores: Perplexity) -> list[str]:
    lines = [
        ", ".join(counted(getattr(scores, f"{what}s"), what) for what in ("token", "character", "word")),
        "",
        f"{'per':<10} {'perplexity':>12} {'bits':>9} {'loss':>9}",
    ]
    for name, per in (("token", scores.per_token), ("character", scores.per_character), ("word", scores.per_word)):
        lines.append(f"{name:<10} {_large(per.perplexity):>12} {per.bits:>9.4f} {per.nats:>9.4f}")
    lines += ["", f"{100 * scores.accuracy:.1f}% of the tokens were those it thought the likeliest"]
    if scores.unknown:
        stand = f"{counted(scores.unknown, 'token')} stand{'s' * (scores.unknown == 1)}"
        lines.append(f"{stand} for what its tokeniser does not know; the text of that is not counted")
    return lines


def _windows(context: int, stride: int) -> str:
    """How far this is what training called its validation loss."""
    said = f"read in windows of {counted(context, 'token')}"
    if stride == context:
        return f"{said} side by side, as training does for its validation loss"
    return (
        f"{said}, each {stride:,} after the one before; training's validation loss is of windows side by side, which "
        f"know less of what comes before: --stride {context} gives that"
    )


def _large(perplexity: float) -> str:
    return f"{perplexity:,.3f}" if perplexity < 1e6 else f"{perplexity:.3e}"


def _translator(found: Namespace) -> Iterator[Result]:
    from workings.generation import Beams
    from workings.training.evaluation import target_perplexity, translate
    from workings.training.scores import translation_scores

    runs.check_installed("sacrebleu")
    with as_user_errors("--alpha"):
        beams = Beams(count=found.beam, alpha=found.alpha)
    translator = runs.translator(found.run)
    model, source, target = translator
    name, pairs, corpus = _pairs(found, translator)
    quick = translator.quick(found.weights, 8 * found.beam)
    written = translate(
        quick.model, [pair[0] for pair in pairs], source, target,
        beams=beams, on_done=Counter("sentences", len(pairs)),
    )  # fmt: skip
    scores = translation_scores(written.texts, [pair[1] for pair in pairs])
    surprise = target_perplexity(model, corpus) if len(corpus) else None
    data = {**scores.to_dict(), "beam": found.beam, "alpha": found.alpha}
    data |= {"unfinished": written.unfinished, "cut": written.cut, "beyond": written.beyond}
    data["perplexity"] = None if surprise is None else surprise.to_dict()
    yield Result(name, [*_translation_lines(scores), *_also(written, model.config.context), *_surprise(surprise)], data)


def _pairs(found: Namespace, translator: runs.Translator) -> tuple[str, list[tuple[str, str]], ParallelCorpus]:
    """What it is measured on: its name, the pairs of texts, and those short enough as tokens."""
    from workings.text import ParallelCorpus
    from workings.text.parallel import read_pairs

    model, source, target = translator
    if len(found.files) > 2:
        raise UserError(f"{len(found.files)} files", "a source and a target, or one file of both", "name these")
    if not found.files:
        name, corpus = _validation(found.run)
        rows = range(len(corpus))
        pairs = [(source.decode(corpus.source[row]), target.decode(corpus.target[row])) for row in rows]
        return name, pairs, corpus
    name, paths = " and ".join(found.files), [*map(Path, found.files), None]
    pairs = [pair for pair in read_pairs(Path(found.files[0]), paths[1]) if all(side.strip() for side in pair)]
    if not pairs:
        raise UserError(f"{name}: there are no sentence pairs", "at least one")
    return name, pairs, ParallelCorpus.of(pairs, source, target, longest=model.config.context)


def _translation_lines(scores: TranslationScores) -> list[str]:
    precisions = ", ".join(f"{p:.1f}" for p in scores.precisions)
    return [
        f"{counted(scores.sentences, 'sentence')}, {scores.exact:,} of them exactly the reference",
        "",
        f"BLEU {scores.bleu:6.2f}   {scores.bleu_signature}",
        f"chrF {scores.chrf:6.2f}   {scores.chrf_signature}",
        "",
        f"BLEU's precisions: {precisions}; its brevity penalty: {scores.brevity_penalty:.3f}",
    ]


def _also(written: Translations, trained: int) -> Iterator[str]:
    if written.unfinished:
        yield f"{counted(written.unfinished, 'translation')} cut off at the length allowed"
    if written.cut:
        yield f"{counted(written.cut, 'source')} longer than the model has positions, read in part"
    elif written.beyond:
        yield f"{counted(written.beyond, 'source')} longer than the {trained:,} tokens it was trained on, read whole"


def _surprise(scores: Perplexity | None) -> list[str]:
    if scores is None:
        return []
    word, token = _large(scores.per_word.perplexity), _large(scores.per_token.perplexity)
    return [f"perplexity of the references: {token} per token, {word} per word"]


def _classifier(found: Namespace) -> Iterator[Result]:
    from workings.text import LabelledCorpus
    from workings.training.evaluation import evaluate_classifier

    model, tokeniser, labels = runs.classifier(found.run)
    longest = model.config.context
    if found.files:
        corpora = [(f, LabelledCorpus.read(f, tokeniser, labels, longest=longest)) for f in found.files]
    else:
        corpora = [_validation(found.run)]
    for name, corpus in corpora:
        scores = evaluate_classifier(model, corpus, on_done=Counter("texts", len(corpus)))
        cut = [f"{counted(corpus.truncated, 'text')} longer than its context, cut"] if corpus.truncated else []
        yield Result(name, [*_class_lines(scores), *cut], {**scores.to_dict(), "cut": corpus.truncated})


def _class_lines(scores: ClassificationScores) -> list[str]:
    width = max(5, *(len(each.name) for each in scores.classes))
    lines = [
        counted(scores.texts, "text"),
        "",
        f"accuracy {100 * scores.accuracy:6.2f}%   always the commonest label: {100 * scores.majority:.2f}%",
        f"macro F1 {100 * scores.macro_f1:6.2f}%",
        "",
        f"{'label':<{width}} {'texts':>7} {'precision':>10} {'recall':>8} {'F1':>8}",
    ]
    for each in scores.classes:
        f1 = "" if each.f1 is None else f"{100 * each.f1:.1f}%"
        percent = f"{100 * each.precision:>9.1f}% {100 * each.recall:>7.1f}%"
        lines.append(f"{each.name:<{width}} {each.support:>7,} {percent} {f1:>8}")
    return lines


def _embeddings(found: Namespace) -> Iterator[Result]:
    from workings.commands.near import embeddings_of

    if not found.files:
        raise UserError(f"{found.run}: embeddings are measured on analogies", "a file of them, four words a line")
    embeddings = embeddings_of(found.run)
    for file in found.files:
        scores = embeddings.score_analogies(_questions(file))
        yield Result(file, _analogy_lines(scores), scores.to_dict())


def _questions(file: str) -> Iterator[list[str]]:
    """Four words a line; blank lines, and those that name a section after a colon, are passed over."""
    from workings.text.reading import files_of, numbered_lines

    for path in files_of(Path(file)):
        for number, line in numbered_lines(path):
            words = line.split()
            if not words or words[0].startswith((":", "#")):
                continue
            if len(words) != 4:
                found = f"{path}, line {number}: {counted(len(words), 'word')}"
                raise UserError(found, "four: the last is to the third as the second is to the first")
            yield words


def _analogy_lines(scores: AnalogyScore) -> list[str]:
    lines = [
        f"{counted(scores.asked, 'question')}, of which {scores.known:,} have a vector for each word",
        "",
        f"right {100 * scores.accuracy:6.2f}%   {scores.right:,} of {scores.known:,}, the three given words left out",
        f"{'':14} {scores.right_among_all:,} with none left out",
        f"{'':14} {scores.right_by_nearness:,} by nearness to the third word alone",
    ]
    if scores.unknown:
        more = f" and {len(scores.unknown) - 8:,} more" if len(scores.unknown) > 8 else ""
        lines += ["", f"without a vector: {', '.join(scores.unknown[:8])}{more}"]
    return lines


def _validation(name: str) -> tuple[str, Any]:
    """What a training validated on: the corpus, found from beside the run, or from here, and cut again."""
    from workings.training.configuration import configured
    from workings.training.tasks import prepare_again

    run = runs.open_run(name)
    configuration = configured(run.description.configuration, str(run.path / "config.json"))
    data = configuration.model_dump()["data"]
    first = next((data[key] for key in ("text", "texts", "source") if key in data), None)
    folders = [run.path.parent, Path()]
    folder = next((each for each in folders if first is None or (each / first).exists()), None)
    if folder is None:
        looked = " or in ".join(dict.fromkeys(str(each.resolve()) for each in folders))
        hint = f"name one: workings evaluate {name} FILE"
        raise UserError(f"{name}: {first}, which it was trained on, is not in {looked}", "a file to measure on", hint)
    validation: Any = getattr(prepare_again(run, configuration, folder), "validation", None)
    return "what its training validated on", validation.corpus

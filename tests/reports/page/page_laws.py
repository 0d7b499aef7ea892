"""The laws of the go/no-go page, checked against the documents that it was made from.

    page_laws.py PROGRAM WORK DOCUMENT...             makes the page, checks every law
    page_laws.py PROGRAM WORK --mutants DOCUMENT...   breaks the page in one place at a time: its law has to notice

Nothing of the program's own code is used: the page is read as XML, the documents as JSON, and what the page should
say is worked out anew.
"""
import json
import re
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree
from pathlib import Path

XHTML = "{http://www.w3.org/1999/xhtml}"
XLINK = "{http://www.w3.org/1999/xlink}"
STATUS = {"MISSING": "M", "INSUFFICIENT": "I", "KERNEL_UNKNOWN": "K", "UNREACHABLE": "U", "INFEASIBLE": "X"}
LOOKS = {"W": "win", "L": "loss", "S": "small", "N": "noisy", "=": "null", "P": "pass", "F": "fail", "?": "open",
         "M": "missing", "I": "insufficient", "K": "kernel", "U": "unreachable", "X": "infeasible"}
METRICS = {"tpot": "TPOT", "ttft": "TTFT", "output_throughput": "output throughput",
           "prefill_throughput": "prefill throughput"}
TITLES = {"tpot": "Time per output token (TPOT)", "ttft": "Time to first token (TTFT)"}


class Broken(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Broken(what)


def text(element):
    return "".join(element.itertext())


def tokens(count):
    return f"{count // 1024}k" if count >= 1024 and count % 1024 == 0 else str(count)


def place_of(cell):
    parts = [part for part in (cell["model"], cell["workload"]) if part not in ("", "-")]
    return ", ".join(parts + ([f"P:D {cell['pd']}"] if cell["pd"] not in ("", "-") else []))


def load_of(cell):
    load = cell["load"]
    words = {"c": f"{load[1:]} at once", "r": f"{load[1:]} req/s"}.get(load[0], load)
    return f"{words}, {tokens(cell['isl'])} in, {tokens(cell['osl'])} out"


def close(shown, value, digits=4):
    """`shown` is `value`, rounded to that many digits (or, from 1000 on, to a whole number)."""
    found = float(shown.replace("\u2212", "-"))
    unit = 0.5 if abs(value) >= 1000 else 0.5000001 * 10.0 ** (len(str(int(abs(value)))) - digits)
    return abs(found - value) <= max(unit, 1e-12) or f"{found:.4g}" == f"{value:.4g}"


def close_percent(shown, share):
    found = float(shown.replace("\u2212", "-").removesuffix(" %"))
    return abs(found - 100 * share) <= (0.00501 if abs(100 * share) < 10 else 0.0501)


class Page:
    def __init__(self, raw):
        self.raw = raw
        try:
            self.root = ElementTree.fromstring(raw.removeprefix("<!DOCTYPE html>\n"))
        except ElementTree.ParseError as error:
            raise Broken(f"well formed: {error}") from error

    def all(self, tag, under=None):
        return list((self.root if under is None else under).iter(XHTML + tag))

    def section(self, name):
        found = [one for one in self.all("section") if one.get("id") == name]
        need(len(found) == 1, f"section {name}: {len(found)} of them")
        return found[0]

    def tables(self, under):
        """Each table as rows of dictionaries by head."""
        out = []
        for table in self.all("table", under):
            heads = [text(head) for head in self.all("th", self.all("thead", table)[0])]
            rows = [[text(cell) for cell in row] for row in self.all("tr", self.all("tbody", table)[0])]
            out.append((heads, [dict(zip(heads, row)) for row in rows]))
        return out

    def squares(self):
        """{(place, question, load, osl, isl): (letter, class, gain)}: every square of every map, none twice."""
        out = {}
        parents = {child: parent for parent in self.root.iter() for child in parent}
        for figure in self.all("figure"):
            if figure.get("class") != "map":
                continue
            heading = ""
            for sibling in parents[parents[figure]]:
                heading = text(sibling) if sibling.tag == XHTML + "h4" else heading
                if sibling is parents[figure]:
                    break
            question = text(self.all("figcaption", figure)[0])
            contexts = [text(head) for head in self.all("th", self.all("thead", figure)[0])][1:]
            for row in self.all("tr", self.all("tbody", figure)[0]):
                load, osl = text(row[0]).rsplit(", ", 1)
                for context, square in zip(contexts, row[1:]):
                    if square.get("class") is None:
                        continue
                    key = (heading, question, load, osl, context)
                    need(key not in out, f"every cell: {key} twice")
                    small = self.all("small", square)
                    out[key] = (text(self.all("b", square)[0]), square.get("class"), text(small[0]) if small else None)
        return out


def ruled(node):
    letter = {"PASS": "P", "FAIL": "F", "UNKNOWN": "?"}[node["outcome"]]
    return "N" if letter == "F" and node["noisy"] else letter


def expected_squares(document):
    out = {}
    for cell in document["cells"]:
        def add(setup, comparator, by, letter, gain):
            key = (place_of(cell), f"{setup} against {comparator}: {by}", cell["load"], tokens(cell["osl"]),
                   tokens(cell["isl"]))
            out.setdefault(key, (letter, gain))
        for decision in cell["decisions"]:
            setup = decision["setup"]
            add(setup, decision["against"], "rules, all", STATUS.get(decision["status"]) or ruled(decision), None)
            for question in decision["questions"]:
                status = STATUS.get(question["status"])
                add(setup, question["comparator"], f"rule {question['rule']}", status or ruled(question), None)
                for one in question["compared"]:
                    if one["metric"] not in METRICS:
                        continue
                    tie = {"SMALL": "S", "NOISY": "N", "NULL": "="}.get(one["tie"])
                    letter = {"WIN": "W", "LOSS": "L", "TIE": tie}[one["outcome"]]
                    add(setup, question["comparator"], METRICS[one["metric"]], status or letter, one["gain"])
    return out


def self_contained(page, document):
    need(not page.all("script"), "self contained: a script")
    for element in page.root.iter():
        for name, value in element.attrib.items():
            need(not name.startswith("on"), f"self contained: {name}")
            if name in ("href", "src", "action", "data", "srcset"):
                need(value.startswith(("#", "data:image/svg+xml,")), f"self contained: {name}={value[:40]}")
    style = text(page.all("style")[0])
    need("url(" not in style and "@import" not in style, "self contained: the style sheet fetches")
    for image in page.all("img"):
        svg = ElementTree.fromstring(urllib.parse.unquote(image.get("src").split(",", 1)[1]))
        for element in svg.iter():
            need(element.tag.split("}")[1] in ("svg", "desc", "style", "g", "defs", "use", "rect", "path", "polygon",
                                               "circle", "text", "tspan", "pattern"), f"self contained: {element.tag} in a chart")
            link = element.get(XLINK + "href")
            need(link is None or link.startswith("#"), f"self contained: {link} in a chart")


def every_cell(page, document):
    found = {key: value for key, value in page.squares().items() if key[1] != "what a run would tell"}
    wanted = expected_squares(document)
    need(set(found) == set(wanted), f"every cell: {sorted(set(wanted) ^ set(found))[:2]}")
    for key, (letter, gain) in wanted.items():
        need(found[key][0] == letter, f"every cell: {key} is {found[key][0]}, not {letter}")
        need(found[key][1] == f"s {LOOKS[letter]}", f"every cell: {key} looks {found[key][1]}")
        shown = found[key][2]
        need((shown is None) == (gain is None), f"every cell: {key} gain {gain}, shown {shown}")
        need(gain is None or close_percent(shown, gain), f"every cell: {key} gain {gain}, shown {shown}")
    section = text(page.section("map"))
    for cell in document["cells"]:
        if not cell["decisions"]:
            need(load_of(cell) in section, f"every cell: {load_of(cell)} is not named")


def figures(page, document):
    section = page.section("repeats")
    rows = {}
    metric = None
    for element in section.iter():
        if element.tag == XHTML + "h3":
            metric = {title: name for name, title in TITLES.items()}[text(element)]
        if element.tag == XHTML + "summary" and text(element).startswith("Output throughput ("):
            metric = "output_throughput"
        if element.tag == XHTML + "summary" and text(element).startswith("Prefill throughput ("):
            metric = "prefill_throughput"
        if element.tag == XHTML + "tr" and element[0].tag == XHTML + "td":
            cells = [text(cell) for cell in element]
            rows.setdefault((metric, cells[0], cells[1]), []).append(cells)
    for cell in document["cells"]:
        for setup in cell["setups"]:
            for name, sample in setup["metrics"].items():
                if name not in METRICS:
                    continue
                candidates = rows.get((name, load_of(cell), setup["setup"]), [])
                fits = [row for row in candidates if close(row[2], sample["median"]) and row[3] == sample["unit"] and
                        len(row[5].split()) == len(sample["values"]) and
                        all(close(shown, value) for shown, value in zip(row[5].split(), sample["values"]))]
                need(fits, f"figures: {name} of {setup['setup']} in {load_of(cell)}: {candidates}")
                candidates.remove(fits[0])
    need(not any(rows.values()), "figures: a row that no document has")


def latencies(page, document):
    rows = [row for heads, all_rows in page.tables(page.section("itl")) if "p99, ms" in heads for row in all_rows]
    for cell in document["cells"]:
        for setup in cell["setups"]:
            if "p99_itl" not in setup["metrics"]:
                continue
            wanted = setup["metrics"]["p99_itl"]["median"]
            need(any(row["cell"] == load_of(cell) and row["setup"] == setup["setup"] and close(row["p99, ms"], wanted)
                     for row in rows), f"latencies: {load_of(cell)} {setup['setup']} {wanted}")


def verdict(page, document):
    banner = page.section("verdict")
    need(text(page.all("p", banner)[0]) == document["verdict"], "verdict: another word")
    look = document["verdict"].lower()
    need(banner.get("class") == f"verdict {look}", f"verdict: looks {banner.get('class')}")
    shown = [text(item) for item in page.all("li", banner)]
    need(len(shown) == len(document["reasons"]), f"verdict: {len(shown)} reasons")
    for line, reason in zip(shown, document["reasons"]):
        need(line == f"{reason['text']} {reason['code']}".rstrip(), f"verdict: reason {line!r}")


def left_out(page, document):
    section = page.section("left-out")
    rows = [(row["what"], row["why"]) for _, all_rows in page.tables(section) for row in all_rows]
    wanted = [(run["file"], "; ".join(reason.removeprefix(run["file"] + ": ") for reason in run["reasons"]))
              for run in document["runs"] if run["status"] != "VALID"]
    for one in document["refused"] + document["left_out"]:
        wanted.append((one["file"], ": ".join(part for part in (one["key"], one["value"], one["problem"]) if part)))
    need(rows == wanted, f"left out: {rows} is not {wanted}")
    valid = sum(run["status"] == "VALID" for run in document["runs"])
    need(f"{valid} of them valid" in text(section), "left out: the count of valid runs")
    for warning in document["warnings"]:
        need(warning["text"] in text(section), f"left out: warning {warning['text']}")


def choices(page, document):
    rows = [row for _, all_rows in page.tables(page.section("choices")) for row in all_rows]
    need([(row["flag"], row["value"], row["meaning"]) for row in rows] ==
         [(one["flag"], one["value"], one["meaning"]) for one in document["choices"]], "choices: not those given")


def charts(page, document):
    for figure in page.all("figure"):
        images = page.all("img", figure)
        for image in images:
            need(len(image.get("alt", "")) > 20, "charts: an image without words")
        need(not images or page.all("table", figure), "charts: an image without its numbers")


def shown_value(row, value, column):
    return row[column] == value if isinstance(value, str) else close(row[column], value)


def numbers(page, document):
    rows = [row for _, all_rows in page.tables(page.section("numbers")) for row in all_rows]
    need(len(rows) == len(document["lines"]), "numbers: not as many as the document has")
    for row, line in zip(rows, document["lines"]):
        need((row["figure"], row["unit"], row["formula"]) == (line["name"], line["unit"], line["formula"]),
             f"numbers: {row}")
        ends = row["value"].split(" to ")
        wanted = [line["least"]] + ([line["most"]] if line["most"] != line["least"] else [])
        need(len(ends) == len(wanted), f"numbers: {row} of {wanted}")
        for end, value in zip(ends, wanted):
            need(end == value if isinstance(value, str) else close(end, value), f"numbers: {row} of {wanted}")
    curves = page.tables(page.section("break-even"))
    need(len(curves) == 3 * len(document["break_even"]), "numbers: a curve is missing")
    for index, (_, rows) in enumerate(curves):
        shape, key = document["break_even"][index // 3], ("even", "counted", "guard")[index % 3]
        for column, curve in enumerate(shape["curves"]):
            for row, point in zip(rows, curve["points"], strict=True):
                need(shown_value(row, point[key], list(row)[column + 1]), f"numbers: {shape['title']} {key} {point}")


def predicted(page, document):
    tables = page.tables(page.section("predicted"))
    rows = [row for heads, all_rows in tables if "measured, ms" in heads for row in all_rows]
    need(len(rows) == len(document["cells"]), "predicted: not as many as the document has")
    for cell in document["cells"]:
        name = f"{cell['input_tokens']:g} in, {cell['output_tokens']:g} out, {cell['load']:g} at once"
        found = [row for row in rows if row["cell"] == name]
        need(len(found) == 1 and close(found[0]["measured, ms"], cell["tpot_ms"]) and
             close(found[0]["predicted, ms"], cell["predicted_tpot_ms"]) and
             close_percent(found[0]["error"], cell["predicted_tpot_ms"] / cell["tpot_ms"] - 1) and
             found[0]["used for the fit"] == ("yes" if cell["fitted"] else "no"), f"predicted: {name}: {found}")


def planned(page, document):
    found = {key: value for key, value in page.squares().items() if key[1] == "what a run would tell"}
    letters = {"infeasible": "X", "unreachable": "U", "undecidable": "~", "decisive": "D"}
    wanted = {(f"{one['model']}, {one['workload']}", "what a run would tell", f"c{one['batch']}",
               tokens(one["output"]), tokens(one["context"])): letters[one["state"]] for one in document["points"]}
    need({key: value[0] for key, value in found.items()} == wanted, f"planned: {found} is not {wanted}")
    rows = page.tables(page.section("plan"))[0][1]
    need({row["state"]: int(row["cells"]) for row in rows} == document["cells"], f"planned: {rows}")
    fewest = document["smallest_set"]
    need(f"{fewest['runs']} runs" in text(page.section("plan")), "planned: the runs of the smallest set")
    shown = [row for heads, all_rows in page.tables(page.section("plan")) if "settles" in heads for row in all_rows]
    need([row["load"] for row in shown] == [load["load"] for load in fewest["loads"]], "planned: the smallest set")


def moved(page, document):
    tables = page.tables(page.section("sensitivity"))
    for (_, rows), (key, scale) in zip(tables, [("tpot_gain_c", 100), ("tpot_loss_to_b_c", 100),
                                                ("ttft_gain_over_b_c", 100), ("rule_a_passes_c", 1),
                                                ("rule_b_passes_c", 1)], strict=True):
        bars = {bar["assumption"].replace("_", " "): bar for bar in document["sensitivity"]["bars"]}
        need({row["parameter"] for row in rows} == set(bars), f"moved: {rows}")
        for row in rows:
            bar = bars[row["parameter"]]
            for column, value in (("low", bar["low"]), ("high", bar["high"]),
                                  ("outcome at low", bar["at_low"][key] * scale),
                                  ("outcome at high", bar["at_high"][key] * scale)):
                need(close(row[column], value), f"moved: {row} {column} {value}")


LAWS = [self_contained, charts, every_cell, figures, latencies, verdict, left_out, choices]
OTHER_LAWS = {"cost": numbers, "validate": predicted, "plan-runs": planned, "plan-runs sensitivity": moved}


def kind_of(document):
    return document["command"] + (" sensitivity" if document["command"] == "plan-runs" and "sensitivity" in document
                                  else "")


def check(raw, documents):
    page = Page(raw)
    for law in LAWS:
        law(page, documents["gonogo"])
    for kind, law in OTHER_LAWS.items():
        if kind in documents:
            law(page, documents[kind])
    return page


def make(program, work, documents, *more):
    output = Path(work) / "page.html"
    output.unlink(missing_ok=True)
    command = [program, "report", *documents, "-o", str(output), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    need(done.returncode == 0, f"{' '.join(command)}: {done.returncode} {done.stderr}")
    return output.read_text(encoding="utf-8"), done.stdout


def refused(program, work, arguments, wanted):
    output = Path(work) / "before.html"
    output.write_text("the page of before", encoding="utf-8")
    done = subprocess.run([program, "report", *arguments, "-o", str(output)], capture_output=True, text=True,
                          check=False)
    line = done.stderr.rstrip("\n")
    need(done.returncode == 2 and wanted in line and "\n" not in line and not done.stdout,
         f"refusals: {arguments}: {done.returncode} {done.stderr!r}")
    need(output.read_text(encoding="utf-8") == "the page of before", f"refusals: {arguments}: the page was touched")
    need(len(list(Path(work).glob("before.html*"))) == 1, f"refusals: {arguments}: something else was left")


def refusals(program, work, documents):
    wrong = Path(work) / "wrong.json"
    whole = Path(documents[0]).read_text(encoding="utf-8")
    for content, wanted in ((whole[:-20], "wrong.json"), (whole.replace('"version": 1', '"version": 3'), "$.version: 3"),
                            (whole.replace('"median": ', '"median": NaN, "x": ', 1), "wrong.json"),
                            (whole.replace('"decides"', '"decided"'), "$.decides: missing"), ("", "wrong.json"),
                            ('{"command": "verify"}', "$.command")):
        wrong.write_text(content, encoding="utf-8")
        refused(program, work, [str(wrong)], wanted)
        refused(program, work, [*documents[1:], str(wrong)], wanted)
    refused(program, work, [documents[0], documents[0]], "a second judgement")
    own = Path(work) / "before.html"
    own.write_text(whole, encoding="utf-8")
    done = subprocess.run([program, "report", str(own), "-o", f"{work}/../{Path(work).name}/before.html"],
                          capture_output=True, text=True, check=False)
    need(done.returncode == 2 and "the place of a document" in done.stderr and own.read_text(encoding="utf-8") == whole,
         f"refusals: a page over its own document: {done.stderr}")
    done = subprocess.run([program, "report", documents[0], "-o", "-"], capture_output=True, text=True, check=False)
    need(done.returncode == 2 and "--output: -:" in done.stderr and not done.stdout, f"refusals: -o -: {done.stderr}")
    refused(program, work, [str(Path(work) / "none.json")], "none.json")
    refused(program, work, [work], work)
    need(subprocess.run([program, "report", documents[0], "-o", f"{work}/none/page.html"], capture_output=True,
                        check=False).returncode == 2, "refusals: a folder that is not there")


def once(pattern, by, flags=re.S):
    def change(raw):
        changed, count = re.subn(pattern, by, raw, count=1, flags=flags)
        assert count == 1, f"nothing to break: {pattern}"
        return changed
    return change


# Name, the law that has to notice (the beginning of its words), the fault.
MUTANTS = [
    ("a square dropped", "every cell", once(r'<td class="s \w+"><b>.</b>(<small>[^<]*</small>)?</td>', "<td></td>")),
    ("a letter exchanged", "every cell", once(r'<td class="s pass"><b>P</b>', '<td class="s pass"><b>F</b>')),
    ("a colour exchanged", "every cell", once(r'<td class="s pass"><b>P</b>', '<td class="s fail"><b>P</b>')),
    ("a gain of the other sign", "every cell", once("<small>\u2212", "<small>+")),
    ("a map's row under another load", "every cell", once(r'<th scope="row">c48, 1k', '<th scope="row">c49, 1k')),
    ("a map under another question", "every cell", once("c against a1: rule A", "c against a2: rule A")),
    ("a cell without a question forgotten", "every cell", once("128 at once, 1000 in, 1k out</td><td class=\"n\">1</td>",
                                                               "x</td><td class=\"n\">1</td>")),
    ("a median changed", "figures", once(r'(<td>c</td><td class="n">)\d', r"\g<1>8")),
    ("a repeat dropped", "figures", once(r'(<td class="n">[\d.]+ [\d.]+) [\d.]+(</td>)', r"\1\2")),
    ("a row of repeats dropped", "figures", once(r"<tr><td>[^<]*</td><td>a2</td><td class=\"n\">.*?</tr>", "")),
    ("a unit exchanged", "figures", once(r"<td>ms</td>", "<td>s</td>")),
    ("a percentile changed", "latencies", lambda raw: raw[:raw.index('id="itl"')] + once(
        r'(<td>c</td><td class="n">[\d.]+</td><td class="n">)[\d.]+', r"\g<1>1")(raw[raw.index('id="itl"'):])),
    ("another verdict", "verdict", once('<p class="word">INCONCLUSIVE', '<p class="word">GO')),
    ("the verdict's colour", "verdict", once('"verdict inconclusive"', '"verdict go"')),
    ("a reason dropped", "verdict", once(r'<section class="verdict[^>]*>.*?<li>.*?</li>', lambda found: found.group(0)[
        :found.group(0).index("<li>")])),
    ("a file left out in silence", "left out", once(r"<tr><td class=\"t\">summary.json.*?</tr>", "")),
    ("a run counted valid", "left out", once("3 of them valid", "5 of them valid")),
    ("a choice dropped", "choices", once(r"<tr><td><code>--theta.*?</tr>", "")),
    ("a chart without words", "charts", once(r'alt="[^"]*"', 'alt=""')),
    ("a chart without numbers", "charts", once(r"(<img [^\n]*\n)<details>.*?</details>\n", r"\1")),
    ("an end of a range dropped", "numbers", once(r'(<td class="n">[\d.]+) to [\d.]+(</td>)', r"\1\2")),
    ("a formula exchanged", "numbers", once(r"<td class=\"t\"><code>B·c/s", "<td class=\"t\"><code>c/s")),
    ("never is a number", "numbers", lambda raw: raw[:raw.index('id="break-even"')] + once(
        '<td class="n">never</td>', '<td class="n">1024</td>')(raw[raw.index('id="break-even"'):])),
    ("a held-out cell called fitted", "predicted", once(r"<td>no</td></tr>", "<td>yes</td></tr>")),
    ("a plan's square exchanged", "planned", once('<td class="s unreachable"><b>U</b></td></tr>\n</tbody>|'
                                                  '<td class="s decisive"><b>D</b>', '<td class="s decisive"><b>X</b>')),
    ("ends of a bar exchanged", "moved", lambda raw: raw[:raw.index('id="sensitivity"')] + once(
        r'(<td class="n">[^<]*</td>)(<td class="n">[^<]*</td>)(<td>)', r"\2\1\3")(raw[raw.index('id="sensitivity"'):])),
    ("text that is not escaped", "", once("&lt;script&gt;alert\\(&#39;x&#39;\\)&lt;/script&gt;",
                                          "<script>alert('x')</script>")),
    ("a chart from elsewhere", "self contained", once('src="data:image/svg', 'src="https://example.org/svg')),
    ("a script in a chart", "self contained", once("%3Cdesc>", "%3Cscript>1%3C/script>%3Cdesc>")),
    ("an element not closed", "well formed", once("</section>", "")),
]


def main():
    program, work, *rest = sys.argv[1:]
    Path(work).mkdir(parents=True, exist_ok=True)
    mutants = rest[0] == "--mutants"
    documents = rest[1:] if mutants else rest
    read = [json.loads(Path(path).read_text(encoding="utf-8")) for path in documents]
    document = {kind_of(one): one for one in read}
    raw, _ = make(program, work, documents)
    page = check(raw, document)
    if mutants:
        missed = 0
        for name, law, fault in MUTANTS:
            if "chart" in name and not page.all("img"):
                continue
            try:
                check(fault(raw), document)
                print(f"NOT NOTICED  {name}")
                missed += 1
            except Broken as noticed:
                right = str(noticed).startswith(law)
                missed += not right
                print(f"{'noticed' if right else 'BY ANOTHER LAW'}  {name}: {str(noticed)[:90]}")
        print(f"{len(MUTANTS)} faults, {missed} not noticed")
        sys.exit(missed != 0)
    refusals(program, work, documents)
    need(make(program, work, documents)[0] == raw, "deterministic: the same documents made other bytes")
    tables, said = make(program, work, documents, "--no-charts")
    need(not check(tables, document).all("img") and "left out" in said, "without charts: it does not say so")
    laws = len(LAWS) + len(set(OTHER_LAWS) & set(document))
    print(f"{laws} laws hold: {len(page.squares())} squares, {len(page.all('img'))} charts, {len(raw)} characters")


if __name__ == "__main__":
    try:
        main()
    except Broken as broken:
        sys.exit(f"BROKEN  {broken}")

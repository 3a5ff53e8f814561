import { CaseCollector, UnreadableReport, type IsFileName, type Report, type TestCase } from './report.js';

const POINT = /^(not )?ok\b *(?:\d+)?(?: *- *| +)?(.*)$/;
const PLAN = /^1\.\.(\d+)(?: *#.*)?$/;
/** Number of columns by which the tests of a test are indented. */
const INDENT = 4;
const MAX_DEPTH = 100;

/** The tests of one test, or of the whole report. */
interface Level {
  points: number;
  planned: number | undefined;
  hasFailed: boolean;
  /** Tests of this level and of those below it. */
  cases: TestCase[];
  /** A test whose tests follow in braces. */
  open: Point | undefined;
}

interface Point {
  readonly name: string;
  readonly outcome: TestCase['outcome'];
  /** Whether its tests follow, in braces. */
  readonly opens: boolean;
}

/**
 * Reads a TAP report (versions 12 to 14), as written by `node --test --test-reporter=tap`, vitest, tap, prove and others. A test that contains
 * tests counts only if it fails and none of them does. Each level needs its plan, so that a report which was cut off is not taken
 * for a complete one. Other lines, such as output of the tests, are ignored. Throws UnreadableReport.
 */
export function readTap(text: string, isFileName?: IsFileName): Report {
  const levels: Level[] = [startLevel()];
  let isInDiagnostics = false;
  for (const line of text.split(/\r?\n/)) {
    const content = line.trim();
    if (isInDiagnostics || content === '---') {
      isInDiagnostics = content !== '...';
      continue;
    }
    if (/^Bail out!/.test(content)) throw new UnreadableReport('the run was abandoned (Bail out!)');
    const depth = (line.length - line.trimStart().length) / INDENT;
    if (!Number.isInteger(depth) || depth > MAX_DEPTH) continue;
    const level = levels[depth];
    if (content === '}' && level?.open) {
      const point = level.open;
      level.open = undefined;
      endPoint(levels, depth, point);
      continue;
    }
    const plan = PLAN.exec(content);
    const point = parsePoint(content);
    if (!plan && !point) continue;
    while (levels.length <= depth) levels.push(startLevel());
    if (plan) setPlan(levels[depth]!, Number(plan[1]));
    else if (point!.opens) levels[depth]!.open = point;
    else endPoint(levels, depth, point!);
  }
  const [top] = levels as [Level];
  if (levels.length > 1 || top.open) throw new UnreadableReport('it ends within a test');
  checkPlan(top);
  const collector = new CaseCollector(isFileName);
  for (const one of top.cases) collector.add(one);
  return collector.finish();
}

/** Adds a test to its level, with the tests that it contains. */
function endPoint(levels: Level[], depth: number, { name, outcome }: Point): void {
  const level = levels[depth]!;
  level.points += 1;
  if (outcome === 'failed') level.hasFailed = true;
  const inner = levels.splice(depth + 1);
  if (inner.length > 1 || inner[0]?.open) throw new UnreadableReport('a test in it does not end');
  const [children] = inner;
  if (!children) {
    level.cases.push({ name, outcome });
    return;
  }
  checkPlan(children);
  for (const one of children.cases)
    level.cases.push({ ...one, suite: one.suite === undefined ? name : `${name} > ${one.suite}` });
  if (outcome === 'failed' && !children.hasFailed) level.cases.push({ name, outcome });
}

function setPlan(level: Level, planned: number): void {
  if (level.planned !== undefined) throw new UnreadableReport('it has two plans for the same tests');
  level.planned = planned;
}

function checkPlan({ planned, points }: Level): void {
  if (planned === undefined) throw new UnreadableReport('it has no plan (such as 1..3), so it may be incomplete');
  if (planned !== points) throw new UnreadableReport(`it plans ${planned} tests and has ${points}`);
}

/** Parses `not ok 2 - name # SKIP reason`. A test that is skipped, or still to be done, counts as skipped. */
function parsePoint(content: string): Point | undefined {
  const found = POINT.exec(content);
  if (!found) return undefined;
  const [, not, rest = ''] = found;
  const opens = rest.endsWith(' {') || rest === '{';
  const text = opens ? rest.slice(0, -1).trimEnd() : rest;
  const comment = /(?:^|[^\\])#(.*)$/.exec(text);
  const name = comment ? text.slice(0, text.length - comment[1]!.length - 1) : text;
  const isSkipped = comment !== null && /^\s*(?:skip|todo)\b/i.test(comment[1]!);
  const outcome = isSkipped ? 'skipped' : not ? 'failed' : 'passed';
  return { name: name.replaceAll('\\#', '#').trim(), outcome, opens };
}

function startLevel(): Level {
  return { points: 0, planned: undefined, hasFailed: false, cases: [], open: undefined };
}

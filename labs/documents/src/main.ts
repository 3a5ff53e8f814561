import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCommandLine } from '@phaseline/harness';
import { prepareDocument, RECIPES } from './corpus.js';
import { judgeLabels, type CandidatesRead, type LabelOutcome } from './judge-labels.js';

const HELP = `npm run documents -- [--corpus FOLDER] [--only NAME] [--keep FOLDER]

Runs the demo on public documents of more than 130 KB in five formats, and reports for each labelled obligation whether it
became a candidate, a doubtful candidate, or was omitted with a reason. There are two sets of labels with ten documents each.
Requires apt-get, dpkg, npm and pandoc. Exits with code 1 if a job does not complete, a label is lost, or a document cannot be
created. --corpus FOLDER keeps the packages (default: phaseline-documents in the folder for temporary files). --keep FOLDER
stores the candidates of each document, for the comparison of two runs.
`;

const {
  corpus = join(tmpdir(), 'phaseline-documents'),
  only,
  keep,
} = parseCommandLine(HELP, {
  corpus: { type: 'string' },
  only: { type: 'string' },
  keep: { type: 'string' },
});

interface Row {
  readonly name: string;
  readonly bytes: number;
  readonly status: string;
  readonly requirements: number;
  readonly doubtful: number;
  readonly omitted: number;
  /** Number of labels per outcome, for each set with labels of this document. */
  readonly labels: readonly (Readonly<Record<LabelOutcome, number>> & { readonly set: number })[];
}

interface DemoRecord {
  readonly kind?: string;
  readonly job?: { readonly status: string };
  readonly requirements?: { readonly count: number };
  readonly folder?: string;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs the demo on a document and returns its last record. */
async function runDemo(document: string, home: string): Promise<DemoRecord> {
  const child = spawn(
    process.execPath,
    [join(root, 'apps/cli/dist/main.js'), 'demo', '--json', '--document', document],
    {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PHASELINE_HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let last = '';
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    last = lines.at(-1) ?? last;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(last || '{}') as DemoRecord;
}

async function measureDocument(name: string, path: string, bytes: number, sets: readonly LabelSet[]): Promise<Row> {
  const home = await mkdtemp(join(tmpdir(), 'phaseline-document-'));
  try {
    const result = await runDemo(path, home);
    const status = result.job?.status ?? 'no result';
    const requirements = result.requirements?.count ?? 0;
    const file = join(result.folder ?? home, 'work', name, 'candidates.json');
    const content = await readFile(file, 'utf8').catch(() => undefined);
    const found: CandidatesRead =
      content === undefined ? { minConfidence: 0, candidates: [] } : (JSON.parse(content) as CandidatesRead);
    if (keep !== undefined && content !== undefined) await writeFile(join(keep, `${name}.json`), content);
    return {
      name,
      bytes,
      status,
      requirements,
      doubtful: found.candidates.filter(({ confidence }) => confidence < found.minConfidence).length,
      omitted: found.omitted?.length ?? 0,
      labels: sets.flatMap(({ set, labels: { [name]: labels } }) =>
        labels === undefined ? [] : [{ set, ...countOutcomes(name, set, labels, found) }],
      ),
    };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function countOutcomes(
  name: string,
  set: number,
  labels: readonly string[],
  found: CandidatesRead,
): Readonly<Record<LabelOutcome, number>> {
  const count = { candidate: 0, doubtful: 0, omitted: 0, lost: 0 };
  for (const { label, outcome } of judgeLabels(labels, found)) {
    count[outcome] += 1;
    if (outcome !== 'candidate') process.stderr.write(`${name} (set ${set}): ${outcome}: ${label}\n`);
  }
  return count;
}

interface LabelSet {
  readonly set: number;
  readonly labels: Readonly<Record<string, readonly string[]>>;
}

async function readLabels(set: number, file: string): Promise<LabelSet> {
  const content = await readFile(join(root, 'labs/documents/src', file), 'utf8');
  return { set, labels: JSON.parse(content) as LabelSet['labels'] };
}

const sets = [await readLabels(1, 'labels.json'), await readLabels(2, 'labels-2.json')];
await mkdir(corpus, { recursive: true });
if (keep !== undefined) await mkdir(keep, { recursive: true });
const rows: Row[] = [];
const missing: string[] = [];
for (const recipe of RECIPES.filter(({ name }) => only === undefined || name === only)) {
  const prepared = await prepareDocument(recipe, corpus);
  if ('missing' in prepared) missing.push(prepared.missing);
  else rows.push(await measureDocument(recipe.name, prepared.path, prepared.bytes, sets));
}
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
print('| document | bytes | job | requirements | doubtful | omitted with a reason |');
print('|---|---|---|---|---|---|');
for (const { name, bytes, status, requirements, doubtful, omitted } of rows)
  print(`| ${[name, bytes, status, requirements, doubtful, omitted].join(' | ')} |`);
for (const { set } of sets) {
  print('');
  print(`| set ${set} | candidate | doubtful | omitted with a reason | lost |`);
  print('|---|---|---|---|---|');
  for (const { name, labels } of rows)
    for (const { candidate, doubtful, omitted, lost } of labels.filter((entry) => entry.set === set))
      print(`| ${[name, candidate, doubtful, omitted, lost].join(' | ')} |`);
}
for (const line of missing) print(`Not created: ${line}`);
const isGood =
  rows.length > 0 &&
  missing.length === 0 &&
  rows.every(({ status, labels }) => status === 'completed' && labels.every(({ lost }) => lost === 0));
process.exitCode = isGood ? 0 : 1;

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from '../command-line.js';
import { prepare, recipes } from './corpus.js';
import { judgeLabels, type CandidatesRead, type Outcome } from './judge-labels.js';

const HELP = `npm run documents -- [--corpus FOLDER] [--only NAME]

Runs the demo on ten public documents of more than 130 KB in five formats, and says of each labelled obligation whether it
became a candidate, a doubtful one, or was left out with a reason. Needs apt-get, dpkg, npm and pandoc; a document that cannot
be had here is skipped by name. The packages are kept in FOLDER (default: phaseline-documents in the folder for temporary files).
`;

const { corpus = join(tmpdir(), 'phaseline-documents'), only } = commandLine(HELP, {
  corpus: { type: 'string' },
  only: { type: 'string' },
});

interface Row {
  readonly name: string;
  readonly bytes: number;
  readonly status: string;
  readonly requirements: number;
  readonly doubtful: number;
  readonly leftOut: number;
  readonly labels: Readonly<Record<Outcome, number>>;
}

interface DemoRecord {
  readonly kind?: string;
  readonly job?: { readonly status: string };
  readonly requirements?: { readonly count: number };
  readonly folder?: string;
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The last record that the demo wrote. */
async function demoOf(document: string, home: string): Promise<DemoRecord> {
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

async function rowOf(name: string, path: string, bytes: number, labels: readonly string[]): Promise<Row> {
  const home = await mkdtemp(join(tmpdir(), 'phaseline-document-'));
  try {
    const result = await demoOf(path, home);
    const file = join(result.folder ?? home, 'work', name, 'candidates.json');
    const found = JSON.parse(await readFile(file, 'utf8')) as CandidatesRead;
    const judged = judgeLabels(labels, found);
    for (const { label, outcome } of judged)
      if (outcome !== 'candidate') process.stderr.write(`${name}: ${outcome}: ${label}\n`);
    const count = (wanted: Outcome): number => judged.filter(({ outcome }) => outcome === wanted).length;
    return {
      name,
      bytes,
      status: result.job?.status ?? 'no result',
      requirements: result.requirements?.count ?? 0,
      doubtful: found.candidates.filter(({ confidence }) => confidence < found.minConfidence).length,
      leftOut: found.leftOut?.length ?? 0,
      labels: {
        candidate: count('candidate'),
        doubtful: count('doubtful'),
        reason: count('reason'),
        lost: count('lost'),
      },
    };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

await mkdir(corpus, { recursive: true });
const allLabels = JSON.parse(await readFile(join(root, 'libs/testing/src/documents/labels.json'), 'utf8')) as Readonly<
  Record<string, readonly string[]>
>;
const rows: Row[] = [];
const skipped: string[] = [];
for (const recipe of recipes.filter(({ name }) => only === undefined || name === only)) {
  const prepared = await prepare(recipe, corpus);
  if ('skipped' in prepared) skipped.push(prepared.skipped);
  else rows.push(await rowOf(recipe.name, prepared.path, prepared.bytes, allLabels[recipe.name] ?? []));
}
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
print(
  '| document | bytes | job | requirements | doubtful | left out with a reason | labels: candidate | doubtful | reason | lost |',
);
print('|---|---|---|---|---|---|---|---|---|---|');
for (const { name, bytes, status, requirements, doubtful, leftOut, labels } of rows)
  print(
    `| ${[name, bytes, status, requirements, doubtful, leftOut, labels.candidate, labels.doubtful, labels.reason, labels.lost].join(' | ')} |`,
  );
for (const line of skipped) print(`Skipped: ${line}`);
const isGood = rows.every(({ status, labels }) => status === 'completed' && labels.lost === 0);
process.exitCode = isGood ? 0 : 1;

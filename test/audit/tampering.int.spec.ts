import { randomBytes, randomUUID } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { contentHash, EventStore, PIECE_BYTES } from '@phaseline/event-store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../apps/cli/src/run-cli.js';
import { createFakeHost } from '../../apps/cli/src/testing/fake-streams.js';
import {
  storeReceipts,
  readLastAnchor,
  openAuditKey,
  RECEIPTS_FILE,
  createReceipt,
  verifyExport,
  verifyFiles,
  type AuditKey,
} from '@phaseline/audit';
import { AuditedLog, formatProblem } from '@phaseline/audit/testing';
import { anchorCases } from './anchor-cases.fixture.js';
import { exportCases as exportCasesByArea } from './export-cases.fixture.js';
import { fileCases as fileCasesByArea } from './file-cases.fixture.js';
import { receiptCases } from './receipt-cases.fixture.js';
import { streamCases as streamCasesByArea } from './stream-cases.fixture.js';
import { tableCases } from './table-cases.fixture.js';
import { LIMITS, listCases, recomputeHashesSql, type Area, type ExportContext } from './tampering-case.fixture.js';

const streamCases = listCases(streamCasesByArea);
const fileCases = listCases(fileCasesByArea);
const exportCases = listCases(exportCasesByArea);
/** Cases with a separate log. `npm run mutate` selects a group by its name. */
const logCases = {
  tables: listCases(tableCases),
  anchors: listCases(anchorCases),
  'keys and receipts': listCases(receiptCases),
};
const rowCases = [...streamCases, ...fileCases, ...Object.values(logCases).flat()];
const allCases = [...rowCases, ...exportCases];

/** Runs `audit verify` and returns its problems in short form. */
async function online(log: AuditedLog, ...args: string[]): Promise<string[]> {
  const host = createFakeHost({ env: { DATABASE_URL: log.serviceUrl } });
  const code = await runCli(['audit', 'verify', '--json', ...args], host);
  const { problems, passed } = JSON.parse(host.stdout.text) as { problems: object[]; passed: boolean };
  expect([code, passed]).toEqual(problems.length === 0 ? [0, true] : [1, false]);
  return problems.map(formatProblem).sort();
}

/** Runs the relevant checks of `doctor` and returns the names of those with findings. */
async function doctor(log: AuditedLog): Promise<string[]> {
  const host = createFakeHost({ env: { DATABASE_URL: log.serviceUrl }, now: Date.now });
  const only = ['rights', 'anchors', 'files', 'snapshots'].flatMap((check) => ['--only', check]);
  await runCli(['doctor', '--json', ...only], host);
  const { findings } = JSON.parse(host.stdout.text) as {
    findings: { check: string; level: string; text: string; remedy?: string }[];
  };
  const found = findings.filter(({ level }) => level !== 'ok');
  for (const { remedy, text } of found) expect(remedy, text).toEqual(expect.stringMatching(/./));
  return [...new Set(found.map(({ check }) => check))].sort();
}

const event = (type: string, data: object) => ({
  eventId: randomUUID(),
  type,
  schemaVersion: 1,
  data: data as never,
  metadata: {},
});

describe('the table of tampering cases', () => {
  it('has at least 40 cases, at least five per area, and unique names', () => {
    const areas: readonly Area[] = ['events', 'streams', 'blobs', 'manifests', 'anchors', 'exports'];
    const counts = areas.map((area) => [area, allCases.filter((way) => way.area === area).length] as const);
    for (const [area, count] of counts) expect(count, area).toBeGreaterThanOrEqual(5);
    expect(allCases.length).toBe(counts.reduce((sum, [, count]) => sum + count, 0));
    expect(allCases.length).toBeGreaterThanOrEqual(40);
    const names = allCases.map(({ area, name }) => `${area}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('has for each case either expected problems or a limit from docs/concepts/audit.md, and uses every limit of that page', async () => {
    const page = await readFile('docs/concepts/audit.md', 'utf8');
    const [, section] = page.split('\n## What is not found, and the remedy\n');
    const sections = section!
      .split(/\n## /)[0]!
      .split(/\n### /)
      .slice(1);
    const described = new Map(sections.map((text) => [text.split('\n')[0]!, text]));
    for (const [heading, text] of described) expect(text, heading).toMatch(/\nRemedy: \S/);
    const used = allCases.flatMap(({ limit }) => (limit === undefined ? [] : [limit]));
    expect([...described.keys()].sort()).toEqual([...new Set(used)].sort());
    expect(Object.values(LIMITS).sort()).toEqual([...described.keys()].sort());
    for (const way of rowCases) expect(way.online.length === 0, way.name).toBe(way.limit !== undefined);
    for (const way of exportCases) expect(way.offline.length === 0, way.name).toBe(way.limit !== undefined);
    expect(page).toContain(`${allCases.length} ways`);
  });
});

describe('tampering with events and streams is detected, online and in an export:', () => {
  let log: AuditedLog;
  let found: { online: string[]; offline: string[] };
  /** Adds the number of the case to its stream names: all cases share one log. */
  const withIndex = (index: number, text: string): string =>
    text.replaceAll(/'([amzgn])'/g, `'${index}-$1'`).replaceAll(/'(job|phase)-(done|open|fork)'/g, `'$1-${index}-$2'`);
  const problemsOf = (index: number, problems: readonly string[]): string[] =>
    problems
      .flatMap((problem) => {
        const [, kind = '', number, name, rest] = /^(?:(job|phase)-)?(\d+)-(\w+) (.*)/.exec(problem)!;
        return Number(number) === index ? [`${kind && `${kind}-`}${name} ${rest}`] : [];
      })
      .sort();

  beforeAll(async () => {
    log = await AuditedLog.create();
    const appendToEach = (count: number, ...streams: string[]): Promise<unknown> =>
      Promise.all(streamCases.flatMap((_, index) => streams.map((stream) => log.append(`${index}-${stream}`, count))));
    await appendToEach(5, 'a', 'm', 'z');
    for (const index of streamCases.keys()) {
      await log.appendTypes(`job-${index}-done`, ['JobSubmitted', 'JobCompleted']);
      await log.appendTypes(`job-${index}-open`, ['JobSubmitted']);
      await log.appendTypes(`phase-${index}-fork`, ['PhaseStarted', 'PhaseForked']);
    }
    await log.anchorAll();
    await appendToEach(1, 'm');
    await log.anchorAll();
    // Not anchored: events after the last anchor must be checked as well.
    await appendToEach(1, 'z');
    expect([await online(log), await log.verifyExported()]).toEqual([[], []]);
    await log.tamper(...streamCases.flatMap(({ sql }, index) => sql.map((text) => withIndex(index, text))));
    found = { online: await online(log), offline: await log.verifyExported() };
  });
  afterAll(() => log.close());

  it.each(streamCases.map((way, index) => ({ ...way, index })))('$name', (way) => {
    expect(problemsOf(way.index, found.online)).toEqual(way.online);
    expect(problemsOf(way.index, found.offline)).toEqual(way.offline ?? way.online);
  });

  it('reports no other problems', () => {
    const count = (of: (way: (typeof streamCases)[number]) => readonly string[]): number =>
      streamCases.reduce((sum, way) => sum + of(way).length, 0);
    expect(found.online).toHaveLength(count((way) => way.online));
    expect(found.offline).toHaveLength(count((way) => way.offline ?? way.online));
  });

  it('still creates valid anchors afterwards, even though transaction ids were changed', async () => {
    await log.anchorAll();
    expect((await online(log)).filter((problem) => problem.startsWith('anchor'))).toEqual([]);
  });
});

describe('tampering with files is detected, online and in an export:', () => {
  let log: AuditedLog;
  let found: { online: string[]; offline: string[] };

  beforeAll(async () => {
    log = await AuditedLog.create();
    const statements: string[] = [];
    for (const [index, { sql }] of fileCases.entries()) {
      const large = randomBytes(2 * PIECE_BYTES + 5);
      const small = Buffer.from(`a small file of job ${index}`);
      const tree = Buffer.from(`a document of job ${index}, which is longer`);
      const text = `${index} ${'long '.repeat(5_000)}`;
      const names: Record<string, string> = {
        small: contentHash(small),
        tree: contentHash(tree),
        text: contentHash(Buffer.from(text)),
        large: contentHash(large),
        first: contentHash(large.subarray(0, PIECE_BYTES)),
        second: contentHash(large.subarray(PIECE_BYTES, 2 * PIECE_BYTES)),
        last: contentHash(large.subarray(2 * PIECE_BYTES)),
      };
      const entry = (name: string, content: Buffer): { hash: string; size: number } => ({
        hash: names[name]!,
        size: content.byteLength,
      });
      await new EventStore(log.service).append(
        {
          streamId: `${index}-f`,
          correlationId: `of-${index}-f`,
          expectedVersion: 0,
          events: [
            event('FileWritten', { path: 'small.txt', ...entry('small', small) }),
            event('FileWritten', { path: 'large.bin', ...entry('large', large) }),
            event('PhaseStarted', {
              workspace: { tree: { 'documents/a.md': entry('tree', tree), 'small.txt': entry('small', small) } },
            }),
            event('ModelResponded', { content: text }),
          ],
        },
        { blobs: [small, tree, large].map((content) => ({ hash: contentHash(content), content })) },
      );
      for (const statement of sql)
        statements.push(
          statement.replaceAll(/'?\{(\w+)\}'?/g, (_, name: string) =>
            name === 'f' ? `'${index}-f'` : `decode('${names[name]!}', 'hex')`,
          ),
        );
    }
    await log.anchorAll();
    expect([await online(log), await log.verifyExported({ withFiles: true })]).toEqual([[], []]);
    await log.superuser.query(
      `ALTER TABLE phaseline.blobs DROP CONSTRAINT blobs_check, DROP CONSTRAINT blobs_hold_one_piece;
       ALTER TABLE phaseline.blob_manifests DROP CONSTRAINT blob_manifests_check;
       ALTER TABLE phaseline.blob_marks DISABLE TRIGGER ALL`,
    );
    await log.tamper(...statements);
    found = { online: await online(log), offline: await log.verifyExported({ withFiles: true }) };
  });
  afterAll(() => log.close());

  it.each(fileCases.map((way, index) => ({ ...way, index })))('$name', ({ index, ...way }) => {
    const prefix = `${index}-`;
    const ownProblems = (problems: readonly string[]): string[] =>
      problems.filter((problem) => problem.startsWith(prefix)).map((problem) => problem.slice(prefix.length));
    expect(ownProblems(found.online)).toEqual(way.online);
    expect(ownProblems(found.offline)).toEqual(way.offline ?? way.online);
  });

  it('reports no other problems', () => {
    expect(found.online).toHaveLength(fileCases.flatMap((way) => way.online).length);
    expect(found.offline).toHaveLength(fileCases.flatMap((way) => way.offline ?? way.online).length);
  });

  it('reports job, path and version of a file', async () => {
    const index = fileCases.findIndex(({ name }) => name === 'a file removed');
    const correlationId = `of-${index}-f`;
    const { problems, files: checked, bytes, references } = await verifyFiles(log.service, { correlationId });
    expect(problems).toEqual([
      expect.objectContaining({
        kind: 'file-missing',
        jobId: correlationId,
        streamId: `${index}-f`,
        version: 1,
        path: 'small.txt',
      }),
    ]);
    expect([checked, references]).toEqual([4, 5]);
    expect(bytes).toBeGreaterThan(2 * PIECE_BYTES);
  });
});

/** Creates the log for the cases with a separate log and for those of exports. `afterFirstAnchor` runs between the two anchors. */
async function createSmallLog(
  afterFirstAnchor: (log: AuditedLog) => Promise<void> = async () => {},
): Promise<AuditedLog> {
  const log = await AuditedLog.create();
  const content = Buffer.from('the deliverable');
  await log.append('m', 3);
  await log.append('a', 2);
  await new EventStore(log.service).append(
    {
      streamId: 'job-done',
      correlationId: 'of-job-done',
      expectedVersion: 0,
      events: [
        event('FileWritten', { path: 'output/a.md', hash: contentHash(content), size: content.byteLength }),
        event('JobCompleted', {}),
      ],
    },
    { blobs: [{ hash: contentHash(content), content }] },
  );
  await log.anchorAll();
  await afterFirstAnchor(log);
  await log.append('m', 1);
  await log.anchorAll();
  await log.append('a', 1);
  return log;
}

describe('tampering by a superuser is detected:', () => {
  let log: AuditedLog;
  beforeEach(async () => {
    log = await createSmallLog();
    await storeReceipts(log.service, `${log.folder}/receipts`);
    await writeFile(`${log.folder}/public.pem`, log.key.pem);
  });
  afterEach(() => log.close());

  it('reports no problem without tampering', async () => {
    const given = ['--key', `${log.folder}/public.pem`, '--receipt', `${log.folder}/receipts`];
    expect([await online(log, ...given), await log.verifyExported({ withFiles: true }), await doctor(log)]).toEqual([
      [],
      [],
      [],
    ]);
  });

  describe.each(Object.entries(logCases))('in %s:', (_, cases) => {
    it.each(cases)('$area: $name', async (way) => {
      if (way.sql) await log.tamper(...way.sql);
      await way.tamper?.(log);
      const found = {
        online: await online(log),
        withKey: await online(log, '--key', `${log.folder}/public.pem`),
        withReceipt: await online(log, '--receipt', `${log.folder}/receipts`),
        offline: await log.verifyExported({ withFiles: true }),
        doctor: await doctor(log),
      };
      const { online: alone, withKey = alone, withReceipt = alone, offline = alone, doctor: checks = [] } = way;
      expect(found).toEqual({ online: alone, withKey, withReceipt, offline, doctor: checks });
    });
  });

  it('a receipt reveals anchors that were created again with the same key, also in an export', async () => {
    const kept = (await readLastAnchor(log.service))!;
    await log.tamper(
      `UPDATE phaseline.events SET data = '{}' WHERE stream_id = 'm' AND version = 2`,
      recomputeHashesSql('m'),
      'TRUNCATE phaseline.anchored_heads, phaseline.anchors, phaseline.audit_keys',
    );
    await log.anchorAll();
    await log.append('b', 1);
    await log.anchorAll();
    expect(await log.verifyExported({ receipts: [createReceipt(kept, log.key)] })).toEqual([
      'anchor 2 receipt-mismatch',
    ]);
    // A receipt of a current anchor matches.
    const current = (await readLastAnchor(log.service))!;
    expect(await log.verifyExported({ receipts: [createReceipt(current, log.key)] })).toEqual([]);
  });

  it('refuses a receipt that was changed', async () => {
    const path = `${log.folder}/receipts/${RECEIPTS_FILE}`;
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll('"events":7', '"events":6'));
    const host = createFakeHost({ env: { DATABASE_URL: log.serviceUrl } });
    expect(await runCli(['audit', 'verify', '--receipt', path], host)).toBe(4);
    expect(host.stderr.text).toContain('the receipt was changed');
  });
});

it('verifying one job reports its phases that were removed or moved to another job', async () => {
  const log = await AuditedLog.create();
  try {
    const job = '019b0000-0000-7000-8000-00000000000b';
    await log.append(`job-${job}`, 2, job);
    for (const phase of [1, 2, 3]) await log.append(`phase-${job}-${phase}`, 2, job);
    await log.anchorAll();
    expect(await online(log, '--job', job)).toEqual([]);
    await log.tamper(
      `UPDATE phaseline.events SET correlation_id = 'another' WHERE stream_id = 'phase-${job}-1'`,
      `UPDATE phaseline.streams SET correlation_id = 'another' WHERE stream_id = 'phase-${job}-1'`,
      `DELETE FROM phaseline.events WHERE stream_id = 'phase-${job}-2'`,
      `DELETE FROM phaseline.streams WHERE stream_id = 'phase-${job}-2'`,
    );
    expect(await online(log, '--job', job)).toEqual([
      `phase-${job}-1 1 altered`,
      `phase-${job}-1 2 altered`,
      `phase-${job}-2 0 truncated`,
    ]);
  } finally {
    await log.close();
  }
});

describe('tampering with an export is detected by the audit checker:', () => {
  let log: AuditedLog;
  let original: string;
  let tools: ExportContext;
  let receipts: unknown[];
  let key: AuditKey;
  beforeAll(async () => {
    let older: string;
    log = await createSmallLog(async (early) => {
      older = await early.export({ withFiles: true });
    });
    key = log.key;
    original = await log.export({ withFiles: true });
    receipts = [createReceipt((await readLastAnchor(log.service))!, key)];
    tools = {
      older: older!,
      partial: await log.export({ jobs: ['of-job-done'], withFiles: true }),
      forger: await openAuditKey(`${log.folder}/forger.pem`),
      blob: contentHash(Buffer.from('the deliverable')),
    };
  });
  afterAll(() => log.close());

  it('reports no problem without tampering', async () => {
    expect(await verifyExport(original, { keys: [key.pem], receipts })).toMatchObject({
      passed: true,
      events: 9,
      notChecked: [],
    });
  });

  it.each(exportCases)('$name', async (way) => {
    const folder = `${log.folder}/copy-${randomUUID()}`;
    await cp(original, folder, { recursive: true });
    await way.tamper(folder, tools);
    const found = async (options: Parameters<typeof verifyExport>[1]): Promise<string[]> => {
      const { problems, passed } = await verifyExport(folder, options);
      expect(passed).toBe(problems.length === 0);
      return problems.map(formatProblem).sort();
    };
    const all = {
      offline: await found({}),
      withKey: await found({ keys: [key.pem] }),
      withReceipt: await found({ receipts }),
    };
    const { offline, withKey = offline, withReceipt = offline } = way;
    expect(all).toEqual({ offline, withKey, withReceipt });
  });
});

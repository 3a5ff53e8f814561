import { matchesGlob } from '@phaseline/checks';
import { listDependencyFolders, type VerifierDefinition, type VerifierReads } from '@phaseline/contracts';
import { constants } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readCobertura, readLcov } from './read-coverage.js';
import { readJsonReport } from './read-json.js';
import { readJunit } from './read-junit.js';
import { readTap } from './read-tap.js';
import {
  MAX_REPORT_BYTES,
  mergeReports,
  UnreadableReport,
  type Coverage,
  type IsFileName,
  type Report,
} from './report.js';

/** Name that means the standard output in place of a report file. */
const STDOUT = 'stdout';
/** Maximum number of report files that one glob may match. */
const MAX_REPORT_FILES = 1_000;
const MAX_SCREENSHOTS = 20;
const MAX_SCREENSHOT_BYTES = 4 * 1024 * 1024;

/** The standard output of a command, or the reason why it is not known completely. */
export type CompleteOutput = { readonly text: string } | { readonly incomplete: string };

/**
 * Removes everything in the place of the reports that a definition names, so that a report which was there before the run is never read.
 * `folder` is the verifier's folder on disk.
 */
export async function removeReports(
  folder: string,
  definition: VerifierDefinition,
  reads: VerifierReads,
): Promise<void> {
  const globs = [...listReportGlobs(reads), ...(definition.screenshots ?? [])];
  if (globs.length === 0) return;
  for (const path of await listFiles(folder, listDependencyFolders(definition)))
    if (globs.some((glob) => matchesGlob(glob, path))) await rm(join(folder, path), { force: true });
}

/** Reads what the reports of a run say, or why that cannot be read. The reason is for the model. */
export async function readReports(
  folder: string,
  definition: VerifierDefinition,
  reads: VerifierReads,
  { output, isFileName }: { readonly output: CompleteOutput; readonly isFileName: IsFileName },
): Promise<Report | { readonly unreadable: string }> {
  const { junit, tap, json } = reads;
  const source = junit ?? tap ?? json?.file;
  if (source === undefined) return {};
  try {
    const texts = await readTexts(folder, definition, source, junit === undefined, output);
    if (texts.length === 0) return { unreadable: 'It wrote no report.' };
    if (junit !== undefined) return mergeReports(texts.map((text) => readJunit(text, isFileName)));
    return json ? readJsonReport(texts[0]!, json) : readTap(texts[0]!, isFileName);
  } catch (error) {
    if (!(error instanceof UnreadableReport)) throw error;
    return { unreadable: `Its report cannot be used: ${error.message}.` };
  }
}

/** Reads the coverage of a run; `undefined` if the definition names no report of it, or it cannot be read. */
export async function readCoverage(
  folder: string,
  definition: VerifierDefinition,
  { coverage }: VerifierReads,
): Promise<Coverage | undefined> {
  if (!coverage) return undefined;
  const { lcov, cobertura } = coverage;
  try {
    const texts = await readTexts(folder, definition, (lcov ?? cobertura)!, false, { incomplete: '' });
    if (texts.length === 0) return undefined;
    const parts = texts.map(lcov === undefined ? readCobertura : readLcov);
    return {
      coveredLines: parts.reduce((sum, { coveredLines }) => sum + coveredLines, 0),
      totalLines: parts.reduce((sum, { totalLines }) => sum + totalLines, 0),
    };
  } catch (error) {
    // Coverage that cannot be read is not measured; it never counts as reached.
    if (error instanceof UnreadableReport) return undefined;
    throw error;
  }
}

/** A picture that a run made. */
export interface Screenshot {
  readonly path: string;
  readonly content: Uint8Array;
}

/** Reads the screenshots that a run made, as many as fit. One that was there before the run was removed with the reports. */
export async function readScreenshots(
  folder: string,
  definition: VerifierDefinition,
): Promise<readonly Screenshot[] | undefined> {
  const { screenshots: globs } = definition;
  if (!globs) return undefined;
  const files = await listFiles(folder, listDependencyFolders(definition));
  const paths = files.filter((path) => globs.some((glob) => matchesGlob(glob, path))).sort();
  const found: Screenshot[] = [];
  for (const path of paths.slice(0, MAX_SCREENSHOTS)) {
    const content = await readReportFile(join(folder, path), MAX_SCREENSHOT_BYTES).catch((error: unknown) => {
      if (error instanceof UnreadableReport) return undefined;
      throw error;
    });
    if (content) found.push({ path, content });
  }
  return found;
}

function listReportGlobs({ junit, tap, json, coverage }: VerifierReads): readonly string[] {
  return [junit, tap, json?.file, coverage?.lcov, coverage?.cobertura].filter(
    (glob): glob is string => glob !== undefined && glob !== STDOUT,
  );
}

async function readTexts(
  folder: string,
  definition: VerifierDefinition,
  source: string,
  mayBeStdout: boolean,
  output: CompleteOutput,
): Promise<readonly string[]> {
  if (mayBeStdout && source === STDOUT) {
    if ('incomplete' in output) throw new UnreadableReport(output.incomplete);
    return [output.text];
  }
  const paths = (await listFiles(folder, listDependencyFolders(definition))).filter((path) =>
    matchesGlob(source, path),
  );
  if (paths.length > MAX_REPORT_FILES) throw new UnreadableReport(`there are more than ${MAX_REPORT_FILES} files`);
  const texts: string[] = [];
  let bytes = 0;
  for (const path of paths.sort()) {
    const content = await readReportFile(join(folder, path), MAX_REPORT_BYTES - bytes);
    bytes += content.byteLength;
    texts.push(content.toString('utf8'));
  }
  return texts;
}

/** Reads a regular file. What the run left in its place may be a link, a pipe or very large. */
async function readReportFile(place: string, maxBytes: number): Promise<Buffer> {
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((cause) => {
    throw new UnreadableReport('it cannot be opened', { cause });
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new UnreadableReport('it is no file');
    if (found.size > maxBytes) throw new UnreadableReport(`it is larger than ${maxBytes} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Lists files and links below a folder, relative to it. Follows no link and enters no folder of dependencies. */
async function listFiles(folder: string, skipped: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const folders = [''];
  for (let prefix = folders.pop(); prefix !== undefined; prefix = folders.pop()) {
    for (const entry of await readdir(join(folder, prefix), { withFileTypes: true }).catch(() => [])) {
      const path = `${prefix}${entry.name}`;
      if (!entry.isDirectory()) found.push(path);
      else if (!skipped.includes(entry.name)) folders.push(`${path}/`);
    }
  }
  return found;
}

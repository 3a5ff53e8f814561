import { readFile, writeFile } from 'node:fs/promises';
import { createPool } from '@phaseline/event-store';
import { Journal } from './journal.js';
import { endOf, startProgram } from './soak-processes.js';
import { SoakWriter, type WriterFigures, type WriterOptions } from './writer.js';

export interface WriterRun extends Omit<WriterOptions, 'pool'> {
  readonly databaseUrl: string;
  /** A file for its journal, where it runs elsewhere. */
  readonly journal: string;
}

/** What a writer leaves behind. */
export interface WriterResult {
  readonly journal: Journal;
  readonly figures: WriterFigures;
}

/** Connections of a writer. The connections that are cut are found by this name. */
export const WRITER_NAME = 'soak-writer';

/** Runs a writer in this process. */
export async function writeHere({ databaseUrl, ...options }: WriterRun): Promise<WriterResult> {
  const pool = createPool(databaseUrl, { max: 4, applicationName: WRITER_NAME });
  try {
    const writer = new SoakWriter({ ...options, pool });
    await writer.run();
    return writer;
  } finally {
    await pool.end();
  }
}

/** Runs a writer in a process of its own. */
export async function writeElsewhere({ onProgress, ...options }: WriterRun): Promise<WriterResult> {
  const child = startProgram('writer-process', JSON.stringify(options));
  child.stdout?.on('data', (chunk: Buffer) => onProgress?.(Number(chunk.toString().trim().split('\n').at(-1))));
  await endOf(child);
  return {
    journal: await Journal.load(options.journal),
    figures: JSON.parse(await readFile(`${options.journal}.json`, 'utf8')) as WriterFigures,
  };
}

/** The other side of `writeElsewhere`. */
export async function leaveBehind({ journal, figures }: WriterResult, path: string): Promise<void> {
  await journal.save(path);
  await writeFile(`${path}.json`, JSON.stringify(figures));
}

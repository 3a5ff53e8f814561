import { readFile, writeFile } from 'node:fs/promises';
import { createPool } from '@phaseline/event-store';
import { Journal } from './journal.js';
import { waitForExit, startProgram } from './soak-processes.js';
import { SoakWriter, type WriterFigures, type WriterOptions } from './writer.js';

export interface WriterRun extends Omit<WriterOptions, 'pool'> {
  readonly databaseUrl: string;
  /** File for the journal, if the writer is a separate process. */
  readonly journal: string;
}

/** Result of a writer. */
export interface WriterResult {
  readonly journal: Journal;
  readonly figures: WriterFigures;
}

/** Application name of the writers' connections, by which those to be cut are found. */
export const WRITER_APPLICATION_NAME = 'soak-writer';

/** Runs a writer in this process. */
export async function runWriter({ databaseUrl, ...options }: WriterRun): Promise<WriterResult> {
  const pool = createPool(databaseUrl, { max: 4, applicationName: WRITER_APPLICATION_NAME });
  try {
    const writer = new SoakWriter({ ...options, pool });
    await writer.run();
    return writer;
  } finally {
    await pool.end();
  }
}

/** Runs a writer in a separate process. */
export async function runWriterProcess({ onProgress, ...options }: WriterRun): Promise<WriterResult> {
  const child = startProgram('writer-process', JSON.stringify(options));
  child.stdout?.on('data', (chunk: Buffer) => onProgress?.(Number(chunk.toString().trim().split('\n').at(-1))));
  await waitForExit(child);
  return {
    journal: await Journal.load(options.journal),
    figures: JSON.parse(await readFile(`${options.journal}.json`, 'utf8')) as WriterFigures,
  };
}

/** Stores the result for `runWriterProcess`, in the process of the writer. */
export async function saveWriterResult({ journal, figures }: WriterResult, path: string): Promise<void> {
  await journal.save(path);
  await writeFile(`${path}.json`, JSON.stringify(figures));
}

import { join, resolve } from 'node:path';
import { jsonObjectSchema, type JsonObject } from '@phaseline/basics';
import { createPool } from '@phaseline/event-store';
import { parse } from 'yaml';
import { openLogDatabase } from '../audit/open-log-database.js';
import { requireJobInLog } from '../audit/verify-log.js';
import type { CommandContext } from '../command/command-context.js';
import { CaseRefused, UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { toPrintable } from '../output/printable.js';
import { pluralise } from '../output/quantities.js';
import { runCaseProgram } from './run-case-program.js';

export interface AddCaseOptions {
  readonly at: number;
  readonly name?: string;
  readonly to?: string;
  readonly expect?: string;
}

/** `phaseline case add JOB --at POSITION`: makes a case of a recorded job. Throws CaseRefused if that is not possible. */
export async function addCase(
  context: CommandContext,
  given: string,
  { at: position, name, to = 'cases', expect }: AddCaseOptions,
): Promise<ExitCode> {
  const { out, currentDirectory } = context;
  const expected = expect === undefined ? {} : { expect: parseExpect(expect) };
  const database = await openLogDatabase(context);
  try {
    const job = await findJob(database.url, given);
    const chosen = name ?? `job-${job.slice(0, 8)}-at-${position}`;
    const folder = join(resolve(currentDirectory, to), chosen);
    const request = { kind: 'add' as const, job, position, name: chosen, folder, ...expected };
    for await (const message of runCaseProgram(request, context, { DATABASE_URL: database.url })) {
      if (message.kind === 'refused')
        throw new CaseRefused(`The job ${job} cannot become a case: ${toPrintable(message.reason)}.`);
      if (message.kind !== 'added') continue;
      const { files, answers } = message;
      if (out.isStructured) out.writeDocument({ name: chosen, folder, answers, files });
      else {
        const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
        out.writeLines(
          `${folder}: ${pluralise(answers, 'answer')}, ${pluralise(files.length, 'file')}, ${bytes} bytes.`,
          `Run it with: phaseline agents test ${folder}`,
        );
      }
    }
    return exitCode.ok;
  } finally {
    await database.close();
  }
}

function parseExpect(text: string): JsonObject {
  try {
    return jsonObjectSchema.parse(parse(text));
  } catch (cause) {
    throw new UsageError(`--expect is no mapping in YAML, such as '{ job: completed }': ${String(cause)}`, { cause });
  }
}

async function findJob(databaseUrl: string, given: string) {
  const pool = createPool(databaseUrl, { max: 1, applicationName: 'phaseline-cases' });
  try {
    return await requireJobInLog(pool, given);
  } finally {
    await pool.end();
  }
}

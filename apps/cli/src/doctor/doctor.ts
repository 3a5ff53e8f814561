import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { allChecks } from './all-checks.js';
import { examine, type Result } from './examine.js';
import { openPatient, reasonOf } from './patient.js';
import { renderDoctor } from './render-doctor.js';

export interface DoctorOptions {
  /** Mend what can be mended without harm, and look again. */
  readonly mend?: boolean;
  readonly only?: readonly string[];
}

/**
 * `phaseline doctor`: looks at everything that keeps jobs from going on, and says what to do. It needs no server: it asks the
 * database, the queues and this machine. Exit code 1 when something fails, 0 with warnings.
 */
export async function doctor(context: CommandContext, options: DoctorOptions): Promise<ExitCode> {
  const { out } = context;
  const checks = chosen(options.only);
  const patient = await openPatient(context);
  try {
    let results = await examine(patient, checks);
    const mended = options.mend ? await mend(results) : [];
    if (mended.length > 0) results = await examine(patient, checks);
    if (out.json) out.document(documentOf(results, mended));
    else {
      for (const line of mended) out.lines(`${out.paint.green('mended')}  ${line}`);
      out.lines(...renderDoctor(results, out.paint));
    }
    return results.some(({ level }) => level === 'fail') ? exitCode.failed : exitCode.ok;
  } finally {
    await patient.close();
  }
}

/** Throws UsageError. */
function chosen(only: readonly string[] | undefined): typeof allChecks {
  if (!only || only.length === 0) return allChecks;
  const unknown = only.find((name) => !allChecks.some((check) => check.name === name));
  if (unknown !== undefined)
    throw new UsageError(`There is no check "${unknown}". There are: ${allChecks.map(({ name }) => name).join(', ')}.`);
  return allChecks.filter(({ name }) => only.includes(name));
}

async function mend(results: readonly Result[]): Promise<string[]> {
  const done: string[] = [];
  for (const { check, repair } of results) {
    if (!repair) continue;
    done.push(`${check}: ${await repair().catch((error: unknown) => `could not be mended: ${reasonOf(error)}`)}`);
  }
  return done;
}

function documentOf(results: readonly Result[], mended: readonly string[]) {
  const count = (level: Result['level']): number => results.filter((result) => result.level === level).length;
  return {
    healthy: count('fail') === 0,
    counts: { ok: count('ok'), warn: count('warn'), fail: count('fail'), skipped: count('skipped') },
    mended,
    findings: results.map(({ check, level, text, mend: advice }) => ({
      check,
      level,
      text,
      ...(advice === undefined ? {} : { mend: advice }),
    })),
  };
}

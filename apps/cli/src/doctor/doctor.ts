import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { allChecks } from './all-checks.js';
import { runChecks, type CheckResult } from './run-checks.js';
import { openTarget, describeError } from './doctor-target.js';
import { renderDoctor } from './render-doctor.js';

export interface DoctorOptions {
  /** Fix what can be fixed without risk, and check again. */
  readonly fix?: boolean;
  readonly only?: readonly string[];
}

/**
 * `phaseline doctor`: checks everything that can keep jobs from running, and says what to do. It needs no server, because it
 * inspects the database, the queues and this machine directly. Exit code 1 if a check fails, 0 with warnings.
 */
export async function doctor(context: CommandContext, options: DoctorOptions): Promise<ExitCode> {
  const { out } = context;
  const checks = selectChecks(options.only);
  const target = await openTarget(context);
  try {
    let results = await runChecks(target, checks);
    const fixed = options.fix ? await fixAll(results) : [];
    if (fixed.length > 0) results = await runChecks(target, checks);
    if (out.isStructured) out.writeDocument(toDocument(results, fixed));
    else {
      for (const line of fixed) out.writeLines(`${out.paint.green('fixed')}  ${line}`);
      out.writeLines(...renderDoctor(results, out.paint));
    }
    return results.some(({ level }) => level === 'fail') ? exitCode.failed : exitCode.ok;
  } finally {
    await target.close();
  }
}

/** Selects checks by name. Throws UsageError. */
function selectChecks(only: readonly string[] | undefined): typeof allChecks {
  if (!only || only.length === 0) return allChecks;
  const unknown = only.find((name) => !allChecks.some((check) => check.name === name));
  if (unknown !== undefined)
    throw new UsageError(
      `There is no check "${unknown}". Known checks: ${allChecks.map(({ name }) => name).join(', ')}.`,
    );
  return allChecks.filter(({ name }) => only.includes(name));
}

async function fixAll(results: readonly CheckResult[]): Promise<string[]> {
  const fixed: string[] = [];
  for (const { check, fix } of results) {
    if (!fix) continue;
    fixed.push(`${check}: ${await fix().catch((error: unknown) => `could not be fixed: ${describeError(error)}`)}`);
  }
  return fixed;
}

function toDocument(results: readonly CheckResult[], fixed: readonly string[]) {
  const count = (level: CheckResult['level']): number => results.filter((result) => result.level === level).length;
  return {
    passed: count('fail') === 0,
    counts: { ok: count('ok'), warn: count('warn'), fail: count('fail'), skipped: count('skipped') },
    fixed,
    findings: results.map(({ check, level, text, remedy }) => ({
      check,
      level,
      text,
      ...(remedy === undefined ? {} : { remedy }),
    })),
  };
}

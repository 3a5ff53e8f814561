import type { JsonObject } from '@phaseline/basics';
import type { CaseResult } from '@phaseline/contracts';
import type { Guard } from '@phaseline/domain';
import { renderCaseResult } from '../../cases/render-cases.js';
import { runCaseProgram } from '../../cases/run-case-program.js';
import { selectCases } from '../../cases/test-agents.js';
import type { CommandContext } from '../../command/command-context.js';
import { UsageError } from '../../command/command-errors.js';
import type { Output } from '../../output/output.js';
import { toPrintable } from '../../output/printable.js';
import { pluralise } from '../../output/quantities.js';

/** What cases showed that ran without a guard and with it. */
export interface TriedCases {
  /** Number of cases that pass with the guard. */
  readonly passed: number;
  /** Cases that pass without the guard and fail with it; `failures` are those with it. */
  readonly broken: readonly CaseResult[];
  /** Names of cases that fail without it too, and say nothing about it. */
  readonly failing: readonly string[];
}

/** Runs cases without a guard, and those that pass once more with it in production. Throws UsageError if there are none, or one cannot be used. */
export async function tryCases(context: CommandContext, guard: Guard, target: string): Promise<TriedCases> {
  // A guard is JSON; its type has no index signature.
  const request = {
    kind: 'run' as const,
    ...(await selectCases(context, target)),
    guard: guard as unknown as JsonObject,
  };
  const broken: CaseResult[] = [];
  const failing: string[] = [];
  let passed = 0;
  for await (const message of runCaseProgram(request, context)) {
    if (message.kind === 'invalid')
      throw new UsageError(`Not every case of ${target} can be used: ${message.problems.join('; ')}`);
    if (message.kind !== 'ran') continue;
    const { guarded, ...result } = message.result;
    if (!guarded) failing.push(result.name);
    else if (guarded.passed) passed += 1;
    else broken.push({ ...result, ...guarded });
  }
  if (passed + broken.length + failing.length === 0) throw new UsageError(`There is no case in ${target}.`);
  return { passed, broken, failing };
}

/** Renders the cases that the guard breaks, and how many it does not. */
export function renderTriedCases({ passed, broken, failing }: TriedCases, paint: Output['paint']): readonly string[] {
  return [
    ...broken.flatMap((result) => renderCaseResult(result, paint)),
    `${pluralise(passed, 'case')} passed with the guard, ${broken.length} broken by it.`,
    ...(failing.length > 0
      ? [`Without the guard ${pluralise(failing.length, 'case')} failed too: ${toPrintable(failing.join(', '))}.`]
      : []),
  ];
}

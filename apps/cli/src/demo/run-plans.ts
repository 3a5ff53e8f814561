import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { JobSummary, PhaselineClient } from '@phaseline/client';
import { verifyLog } from '../audit/verify-log.js';
import { exitCode, exitCodeOfStatus, type ExitCode } from '../command/exit-code.js';
import { pluralise } from '../output/quantities.js';
import { converse, type ConversationEnd, type PlanPerson } from '../plan/converse.js';
import { writeSchedule } from '../plan/plan-results.js';
import { createScriptedPerson } from '../plan/scripted-person.js';
import { submitDemoJob, type DemoParts } from './demo-job.js';
import { planScenes, type PlanScene } from './plan-scenes.js';

/** The person of the demo wants to choose, so that options are offered. */
const POLICY = { autonomy: 'low' } as const;

/** Plans a goal with a scripted person, and shows the conversation. Exit code: that of the job, 3 if the plan waits, or 1 if the audit fails. */
export async function runPlan(parts: DemoParts, client: PhaselineClient, goal: string): Promise<ExitCode> {
  const { context, stack, home, startedAt } = parts;
  const { out, signal } = context;
  const played = await playScene(parts, client, { title: 'plan', goal, expected: 'complete' });
  const { plan, job } = played;
  const folder = join(home.directory, 'plans', plan.planId);
  const files = plan.schedule ? await writeSchedule(client, plan.planId, { folder, signal }) : [];
  const { problemCount } = await verifyLog(stack.databaseUrl, { signal });
  const result = {
    ...summarise(played),
    ...{ goal, files, auditProblems: problemCount, elapsedMs: context.now() - startedAt },
  };
  if (out.isStructured) out.writeRecord({ kind: 'result', ...result });
  else
    out.writeLines(
      '',
      out.paint.bold(describeStatus(played)),
      `  Pattern       ${result.pattern ?? 'none'}`,
      `  Conversation  ${pluralise(result.questions, 'question')} answered, ${pluralise(result.approvals, 'approval')} given`,
      `  Audit         ${problemCount === 0 ? 'the log is intact' : `${pluralise(problemCount, 'problem')} in the log`}`,
      ...files.map((path) => `  Wrote         ${path}`),
      `  Time          ${(result.elapsedMs / 1_000).toFixed(1)} s`,
    );
  if (problemCount > 0) return exitCode.failed;
  return plan.waitsFor ? exitCode.waiting : exitCodeOfStatus(job.status);
}

/** Plays a goal per pattern and what can go wrong. Exit code: 1 if one did not end as it has to, or if the audit fails. */
export async function runPlanScenes(parts: DemoParts, client: PhaselineClient): Promise<ExitCode> {
  const { context, stack } = parts;
  const { out, signal } = context;
  let failed = 0;
  for (const scene of planScenes) {
    if (!out.isStructured) out.writeLines('', out.paint.bold(`── ${scene.title}`));
    const played = await playScene(parts, client, scene);
    const isExpected = played.plan.planningStatus === scene.expected || isAborted(played.job, scene);
    if (!isExpected) failed += 1;
    const summary = { ...summarise(played), goal: scene.goal, expected: scene.expected, isExpected };
    if (out.isStructured) out.writeRecord({ kind: 'plan', ...summary });
    else out.writeLines('', `${isExpected ? '✓' : '✗'} ${scene.title}: ${describeStatus(played)}`);
  }
  const { problemCount } = await verifyLog(stack.databaseUrl, { signal });
  const result = { plans: planScenes.length, unexpected: failed, auditProblems: problemCount };
  if (out.isStructured) out.writeRecord({ kind: 'result', ...result });
  else
    out.writeLines(
      '',
      `${pluralise(result.plans, 'plan')}, ${failed} ended in another way than expected. Audit: ${pluralise(problemCount, 'problem')}.`,
    );
  return failed + problemCount === 0 ? exitCode.ok : exitCode.failed;
}

async function playScene(parts: DemoParts, client: PhaselineClient, scene: PlanScene): Promise<ConversationEnd> {
  const { context, steps } = parts;
  const { signal } = context;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const planId = await submitDemoJob(parts, client, {
    agent: 'planner',
    // Plans of one person in a tenant are made around each other, also those of earlier demos.
    tenant: `demo-${randomUUID()}`,
    parameters: { goal: scene.goal, zone, policy: { ...POLICY, ...scene.policy } },
    ...(scene.budgets ? { budgets: scene.budgets } : {}),
  });
  steps.complete(`plan ${planId}`);
  say(parts, 'person', scene.goal);
  const scripted = createScriptedPerson(scene.wish);
  const person: PlanPerson = {
    async reply(wait) {
      say(parts, 'planner', wait.question);
      const reply = await scripted.reply(wait);
      if (reply !== undefined) say(parts, 'person', reply);
      return reply;
    },
  };
  const onStage = (title: string): void => steps.startWaiting(title);
  try {
    return await converse({ client, planId, person, signal, onStage });
  } finally {
    steps.stopWaiting();
  }
}

/** A plan that a cap ended before its tools could say so. */
function isAborted({ status }: JobSummary, { expected }: PlanScene): boolean {
  return expected === 'aborted' && status === 'aborted';
}

function say({ context: { out } }: DemoParts, from: 'person' | 'planner', text: string): void {
  if (out.isStructured) {
    out.writeRecord({ kind: 'message', from, text });
    return;
  }
  const lines = text.split('\n');
  const begin = (index: number): string => (index === 0 ? out.paint.bold(`${from}:`.padEnd(9)) : ' '.repeat(9));
  out.writeLines('', ...lines.map((line, index) => (line === '' ? '' : `${begin(index)} ${line}`)));
}

function summarise({ plan, job, answered }: ConversationEnd) {
  const count = (kind: string): number => answered.filter((wait) => wait.kind === kind).length;
  const { planId, planningStatus, selectedPattern, waitsFor } = plan;
  const pattern = selectedPattern?.['patternType'];
  return {
    ...{ planId, status: job.status, planningStatus },
    pattern: typeof pattern === 'string' ? pattern : undefined,
    questions: count('question'),
    approvals: count('approval'),
    ...(waitsFor ? { waitsFor } : {}),
  };
}

function describeStatus({ plan, job }: ConversationEnd): string {
  if (plan.planningStatus === 'complete') return 'The schedule is approved.';
  if (plan.waitsFor) return 'The plan waits for its person.';
  return `The plan is ${job.status}${job.failure ? `: ${job.failure.message}` : ''}.`;
}

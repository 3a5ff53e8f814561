import { join } from 'node:path';
import type { PhaselineClient } from '@phaseline/client';
import { planSessionSchema } from '@phaseline/planning';
import { exitCode, exitCodeOfStatus, type ExitCode } from '../command/exit-code.js';
import { verifyLog } from '../audit/verify-log.js';
import { converse, type PlanPerson } from '../plan/converse.js';
import { readPlanSession, writeSchedule } from '../plan/plan-results.js';
import { scriptedPerson } from '../plan/scripted-person.js';
import { submitDemoJob, type DemoParts } from './demo-job.js';

/** The person of the demo wants to choose, so that options are offered. */
const POLICY = { autonomy: 'low' } as const;

/** Plans a goal with a scripted person, and shows the conversation. Exit code: that of the job, or 1 if the audit fails. */
export async function runPlan(parts: DemoParts, client: PhaselineClient, goal: string): Promise<ExitCode> {
  const { context, home, stack, steps, startedAt } = parts;
  const { out, signal } = context;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const planId = await submitDemoJob(parts, client, { agent: 'planner', parameters: { goal, zone, policy: POLICY } });
  steps.complete(`plan ${planId}`);
  const say = (who: string, text: string): void => {
    if (out.isStructured) out.writeRecord({ kind: 'message', from: who, text });
    else
      out.writeLines(
        '',
        ...text
          .split('\n')
          .map((line, index) => `${index === 0 ? out.paint.bold(`${who}:`.padEnd(9)) : ' '.repeat(9)} ${line}`),
      );
  };
  say('person', goal);
  const person: PlanPerson = {
    async reply(wait) {
      say('planner', wait.text);
      const reply = await scriptedPerson.reply(wait);
      if (reply !== undefined) say('person', reply);
      return reply;
    },
  };
  const onStage = (title: string): void => steps.startWaiting(title);
  const { job, asked } = await converse({ client, planId, person, signal, onStage });
  steps.stopWaiting();
  const session = planSessionSchema.parse(await readPlanSession(client, planId, signal));
  const folder = join(home.directory, 'plans', planId);
  const files =
    session.hashes.schedule === undefined
      ? []
      : await writeSchedule(client, planId, { folder, stamp: new Date(context.now()), signal });
  const audit = await verifyLog(stack.databaseUrl, { signal });
  const isApproved = session.planningStatus === 'complete';
  const result = {
    ...{ planId, goal, status: job.status, planningStatus: session.planningStatus, files },
    pattern: session.selectedPattern?.patternType,
    questions: asked.filter(({ kind }) => kind === 'question').length,
    approvals: asked.filter(({ kind }) => kind === 'approval').length,
    elapsedMs: context.now() - startedAt,
    auditProblems: audit.problemCount,
  };
  if (out.isStructured) out.writeRecord({ kind: 'result', ...result });
  else
    out.writeLines(
      '',
      isApproved ? out.paint.bold('The schedule is approved.') : `The plan is ${session.planningStatus}.`,
      `  Pattern       ${result.pattern ?? 'none'}`,
      `  Conversation  ${result.questions} questions answered, ${result.approvals} approvals given`,
      `  Audit         ${audit.problemCount === 0 ? 'the log is intact' : `${audit.problemCount} problems in the log`}`,
      ...files.map((path) => `  Wrote         ${path}`),
      `  Time          ${(result.elapsedMs / 1_000).toFixed(1)} s`,
    );
  return audit.problemCount === 0 ? exitCodeOfStatus(job.status) : exitCode.failed;
}

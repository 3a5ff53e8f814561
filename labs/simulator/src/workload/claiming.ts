import { workflowSchema, type AgentDefinitionInput, type Workflow } from '@phaseline/domain';
import type { Roll } from '@phaseline/harness';

/** Name of the verifier and of the judges of agents whose claims are checked. */
export const VERIFIER = 'unit';
const JUDGES = ['diff-review', 'strict'] as const;

/** The members of an agent whose report is verified. The text of its judges names the agent, so that their model knows who pays. */
export function checkingAgent(agent: string): Partial<AgentDefinitionInput> {
  const instructions = `Object to mistakes. You are the agent "${agent}" in its second role.`;
  return {
    deliverables: [{ path: 'output/report.md', minBytes: 1, verifier: VERIFIER }],
    verifiers: [{ name: VERIFIER, kind: 'unit', argv: ['true'] }],
    judges: Object.fromEntries(JUDGES.map((name) => [name, { instructions }])),
  };
}

/** Adds a verifier to the end of each phase that carries out a plan, and a judge to the end of the job. */
export function checkPhases(workflow: Workflow): Workflow {
  const { execute, review } = workflow.states;
  const { done } = execute!.outcomes;
  const { completed } = review!.outcomes;
  return workflowSchema.parse({
    ...workflow,
    states: {
      ...workflow.states,
      execute: {
        ...execute,
        outcomes: { ...execute!.outcomes, done: { ...done, checks: [{ verifier: VERIFIER }] } },
      },
      review: {
        ...review,
        outcomes: { ...review!.outcomes, completed: { ...completed, checks: [{ judge: 'strict' }] } },
      },
    },
  });
}

/** Draws what a planned todo has to fulfil: nothing, or runs of a verifier and of judges. */
export function drawOutputs(roll: Roll): { readonly outputs?: readonly { readonly [kind: string]: string }[] } {
  const outputs = roll.pick([
    undefined,
    [{ verifier: VERIFIER }],
    [{ verifier: VERIFIER }, { judge: 'strict' }],
    [{ judge: 'diff-review' }],
  ]);
  return outputs ? { outputs } : {};
}

/** Marks a request to a judge. */
const JUDGE_REQUEST = '"objection"';

export function isForJudge(system: string | undefined): boolean {
  return system?.includes(JUDGE_REQUEST) ?? false;
}

/** What a judge answers. */
export function drawJudgement(roll: Roll): string {
  const objection = roll.happens(0.2);
  return JSON.stringify({ objection, reason: objection ? 'src/a.md is wrong' : '' });
}

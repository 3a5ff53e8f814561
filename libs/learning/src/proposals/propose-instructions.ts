import type { JsonObject } from '@phaseline/basics';
import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';
import type { Pattern, PatternGroup } from '../patterns/extract-patterns.js';
import { describeLesson } from './describe-lesson.js';
import type { Proposal } from './proposal.js';

/** Instructions of an agent as a job recorded them, without the task of the job. */
export interface RecordedInstructions {
  readonly text: string;
  /** Path of their file in the folder of the agent. */
  readonly file: string;
  /** Agent of the job. It is another one if a state of the workflow names the agent of the pattern. */
  readonly jobAgent: string;
}

/** Maximum characters of the name of an agent. */
const MAX_AGENT_NAME = 63;

/** Characters of a pattern's id that names contain. */
const SHORT_ID = 8;

/**
 * Proposes to add one line to the instructions of an agent. The files are those of an agent that extends it and adds the line, so that both can be compared
 * before the diff is applied to the agent itself.
 */
export function proposeInstructions(
  group: PatternGroup,
  accepted: readonly JsonObject[],
  recorded: RecordedInstructions | undefined,
): Proposal {
  const kind = 'change_instructions';
  const { pattern } = group;
  if (!recorded) return { kind, problem: `no job with this pattern has the instructions of ${pattern.agent} any more` };
  const { text, file, jobAgent } = recorded;
  const line = describeLesson(group, accepted);
  const before = `${text.trimEnd()}\n`;
  const suffix = `-learned-${pattern.id.slice(0, SHORT_ID)}`;
  const agent = `${pattern.agent.slice(0, MAX_AGENT_NAME - suffix.length)}${suffix}`;
  const added = `learned-${pattern.id.slice(0, SHORT_ID)}.md`;
  const isTried = jobAgent === pattern.agent;
  return {
    kind,
    summary: isTried
      ? `One line is added to the instructions of ${pattern.agent}.`
      : `One line is added to the instructions of ${pattern.agent}. It works in states of jobs of ${jobAgent}, and an experiment exchanges only the agent of a job.`,
    diff: createTwoFilesPatch(
      `a/${pattern.agent}/${file}`,
      `b/${pattern.agent}/${file}`,
      before,
      `${before}\n${line}\n`,
    ),
    agent,
    files: {
      'agent.yaml': stringify({
        ...{ name: agent, extends: pattern.agent, 'instructions+': added },
      }),
      [added]: `${line}\n`,
    },
    ...(isTried ? { tryWith: describeExperiment(pattern, agent) } : {}),
  };
}

function describeExperiment({ agent, tenant, first }: Pattern, candidate: string): string {
  return `phaseline experiment --jobs agent=${agent} tenant=${tenant} since=${first.slice(0, 10)} --agent ${candidate}`;
}

import { clip } from '@phaseline/basics';
import type { planningSpec } from '@phaseline/pack-specs';
import { getMessageStyle } from '@phaseline/planning';
import type { ToolInput } from '@phaseline/tools';
import { makePlanningTool } from './run-planning-tool.js';

type SummaryInput = ToolInput<typeof planningSpec, 'summarizer'>;

/** Writes the message to the person. Its length is that of the policy; the call to action is never cut. */
export const summarize = makePlanningTool('summarizer', (work, { text, call_to_action, confidence }: SummaryInput) => {
  const { maxCharacters, wording, tone } = getMessageStyle(work.session.policy);
  const responseText = `${clip(text.trim(), maxCharacters)}\n\n${call_to_action.trim()}`;
  const { session } = work;
  const asks = session.stage === 'approval' && session.approval;
  work.session = {
    ...{ ...session, responseText },
    ...(asks && {
      planningStatus: 'needs_clarification',
      escalateReason: `The ${asks.subject} waits for an approval.`,
    }),
  };
  const explanations = [`At most ${maxCharacters} characters. ${wording} ${tone}`];
  return { confidence, explanations, data: { responseText } };
});

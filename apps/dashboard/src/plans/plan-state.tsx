import { readString, type Plan } from '@phaseline/client';
import { Card } from '../ui/card.js';
import { toWords } from '../ui/format.js';
import { KeyValues } from '../ui/key-values.js';
import { Deadline } from '../inbox/deadline.js';
import { ReplyForm } from './reply-form.js';
import { Violations } from './violations.js';

/** What the plan waits for with the reply, or what the planner says, and the facts about the plan. */
export function PlanState({ plan }: { readonly plan: Plan }) {
  const { waitsFor, planningStatus, responseText, escalateReason, violations } = plan;
  return (
    <Card title={describeState(plan)} className="plan-state">
      <div className="stack">
        {waitsFor ? (
          <>
            <p className="plan-text">{waitsFor.question}</p>
            {/* Another question is another draft of a reply. */}
            <ReplyForm key={waitsFor.callId} plan={plan} wait={waitsFor} />
          </>
        ) : planningStatus === 'in_progress' ? (
          // The message of the plan is still the one that was answered.
          <p className="muted">What the planner asks next appears here.</p>
        ) : (
          <p className="plan-text">{responseText}</p>
        )}
        {violations.length > 0 ? <Violations violations={violations} /> : null}
        <KeyValues
          items={[
            ['Reason', escalateReason],
            [
              'Deadline',
              waitsFor && waitsFor.expiresAt !== '' ? <Deadline key="deadline" at={waitsFor.expiresAt} /> : '',
            ],
            ['For', plan.user],
            ['Pattern', describePattern(plan.selectedPattern)],
            ['Proposal', plan.patternRfcText],
            ['Approvals', toWords(readString(plan.policy ?? {}, 'approvalPolicy') ?? '')],
          ]}
        />
      </div>
    </Card>
  );
}

function describeState({ waitsFor, planningStatus }: Plan): string {
  if (waitsFor?.kind === 'approval') return `The ${waitsFor.subject ?? 'call'} waits for approval`;
  if (waitsFor) return 'The planner asks';
  if (planningStatus === 'complete') return 'The plan is complete';
  return planningStatus === 'aborted' ? 'The plan was aborted' : 'The planner works';
}

function describePattern(pattern: Plan['selectedPattern']): string {
  if (!pattern) return '';
  const names = ['patternType', 'subtype', 'variant'].flatMap((name) => readString(pattern, name) ?? []);
  const source = readString(pattern, 'introducedBy');
  return `${names.map(toWords).join(' / ')}${source === undefined || source === 'system' ? '' : `, from ${toWords(source)}`}`;
}

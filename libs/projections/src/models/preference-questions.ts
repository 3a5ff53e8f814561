import type { JobId } from '@phaseline/contracts';
import { isEncryptedJob } from '@phaseline/domain';
import type { JobView } from '../jobs/job-view.js';
import type { ViewChange, ViewEvent } from '../log/view-events.js';
import type { ReadModel } from './read-model.js';
import type { Rows } from './rows.js';

export const preferenceQuestionsModel: ReadModel = {
  name: 'preference_questions',
  key: ['job_id', 'preference'],
  columns: ['tenant', 'user_name', 'asked_at', 'value', 'answered_position', 'answered_at'],
  immutableColumns: ['tenant', 'user_name'],
};

/** A lasting preference about which a plan asked its person. */
export interface PreferenceQuestionRow {
  readonly job_id: JobId;
  readonly preference: string;
  readonly tenant: string;
  readonly user_name: string;
  readonly asked_at: string;
  readonly value: string | null;
  readonly answered_position: number | null;
  readonly answered_at: string | null;
}

export function preferenceQuestionKey(jobId: JobId, preference: string): string {
  return `${jobId}/${preference}`;
}

/** Whether an event may change the row of a question, so that the row is needed. */
export function mayChangeQuestion({ type }: ViewEvent): boolean {
  return type === 'PreferenceAsked' || type === 'PreferenceAnswered';
}

/** Applies one event. What the person of an encrypted job answered is content of that job, so other jobs do not know it. */
export function evolvePreferenceQuestions(
  rows: Rows<PreferenceQuestionRow>,
  { tenant }: JobView,
  { jobId, event, position, recordedAt }: ViewChange,
): void {
  if ((event.type !== 'PreferenceAsked' && event.type !== 'PreferenceAnswered') || isEncryptedJob(jobId)) return;
  const { user, preference } = event.data;
  const key = preferenceQuestionKey(jobId, preference);
  const asked: PreferenceQuestionRow = rows.get(key) ?? {
    ...{ job_id: jobId, preference, tenant, user_name: user, asked_at: recordedAt },
    ...{ value: null, answered_position: null, answered_at: null },
  };
  const answer =
    event.type === 'PreferenceAnswered'
      ? { value: event.data.value, answered_position: position, answered_at: recordedAt }
      : {};
  rows.set(key, { ...asked, ...answer });
}

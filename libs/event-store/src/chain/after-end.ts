/** Types that end a stream, and what may stand right behind each. As `followersOfEnd` of libs/domain; a spec holds them equal. */
export const FOLLOWERS_OF_END: Readonly<Record<string, readonly string[]>> = {
  JobCompleted: ['JobErased'],
  JobCancelled: ['JobErased'],
  JobFailed: ['JobErased', 'JobRetried'],
  JobErased: [],
  PhaseCompleted: [],
  PhaseFailed: [],
  PhaseCancelled: [],
};

const followers = new Map(Object.entries(FOLLOWERS_OF_END).map(([end, next]) => [end, new Set(next)]));

export function isEnd(type: string): boolean {
  return followers.has(type);
}

/** Stands for a phase of the parent, which had ended where the fork begins or had not; the stream is closed in the first case. */
const FORKED_PHASE = 'PhaseForked';

/** Whether the row of a stream says rightly whether it is closed. A job or phase is closed by its end, and by nothing else. */
export function isClosedRightly(streamId: string, lastType: string, closed: boolean): boolean {
  if (lastType === FORKED_PHASE) return true;
  return closed === isEnd(lastType) || (closed && !/^(job|phase)-/.test(streamId));
}

export function mayFollow(previous: string | undefined, next: string): boolean {
  return previous === undefined || (followers.get(previous)?.has(next) ?? true);
}

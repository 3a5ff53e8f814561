import type { CallId } from '@phaseline/contracts';

/** Directory of stored results, which are too long for the conversation. The system writes there; agents only read. */
export const RESULTS_DIRECTORY = 'tool_results';

/** Path of a call's stored result; the same on any worker and in any fork. */
export function resultPath(callId: CallId): string {
  return `${RESULTS_DIRECTORY}/${callId.replaceAll(/[^A-Za-z0-9_-]/g, '_')}.txt`;
}

/** Whether the path is that of a stored result. Such a file never counts as a deliverable. */
export function isStoredResult(path: string): boolean {
  return path.startsWith(`${RESULTS_DIRECTORY}/`);
}

/** Where results are kept that are too long for the conversation. The system writes there; agents read. */
export const RESULTS_DIRECTORY = 'tool_results';

/** The file of a call's result: the same for the same call, on any worker and in any fork. */
export function resultPath(callId: string): string {
  return `${RESULTS_DIRECTORY}/${callId.replaceAll(/[^A-Za-z0-9_-]/g, '_')}.txt`;
}

/** Whether a path is that of a kept result. Such a file is a memory of the work and never what the work was for. */
export function isKeptResult(path: string): boolean {
  return path.startsWith(`${RESULTS_DIRECTORY}/`);
}

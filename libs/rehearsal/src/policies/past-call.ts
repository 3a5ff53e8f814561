/**
 * A call made in this phase, with the part of its result that the request shows:
 * - `whole`: the whole result;
 * - `preview`: its beginning and end; the full result is in `file`;
 * - `cleared`: nothing. It is in `file`, or the call must be repeated;
 * - `summarised`: its first line, from the summary of older messages.
 */
export interface PastCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly shown: 'whole' | 'preview' | 'cleared' | 'summarised';
  readonly file?: string;
}

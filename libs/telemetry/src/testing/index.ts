export type { ReceivedSpan } from './read-spans.js';
export { SpanReceiver } from './span-receiver.js';

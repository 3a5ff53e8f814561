import { contentHash } from '@phaseline/event-store';
import { encodeText } from './encode-text.js';

/** Returns the content hash of a text: the one that a file with this text has. */
export function hashText(text: string): string {
  return contentHash(encodeText(text));
}

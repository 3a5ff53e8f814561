// Separate from the main entry of the library because it needs Node: the client, which runs in browsers, imports the main entry.
export { SecretMask } from './secret/secret-mask.js';
export { MaskedStream } from './secret/masked-stream.js';
export { maskStream } from './secret/mask-stream.js';

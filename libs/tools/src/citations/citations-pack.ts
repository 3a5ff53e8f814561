import type { ToolPack } from '../tool.js';
import { citeWeb } from './cite-web.js';

/** Quotations of what was fetched. `cite_document`, for what was handed in, is in the documents pack. */
export const citationsPack: ToolPack = { name: 'citations', tools: [citeWeb] };

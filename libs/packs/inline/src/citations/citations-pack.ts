import { citationsSpec } from '@phaseline/pack-specs';
import { implementPack } from '@phaseline/tools';
import { citeWeb } from './cite-web.js';

/** Tools that cite fetched web sources. The documents pack has `cite_document` for submitted documents. */
export const citationsPack = implementPack(citationsSpec, { cite_web: citeWeb });

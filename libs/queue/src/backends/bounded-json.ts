import pg from 'pg';
import { findExcess, type JsonBounds } from '../json-scan.js';

/** Limits above those of any queue. A message that exceeds them is rejected anyway, so it is not parsed. */
const bounds: JsonBounds = { bytes: 64 * 1024 * 1024, values: 20_000, depth: 64 };

/** Type OIDs of `json` and `jsonb`. */
const JSON_OIDS: ReadonlySet<number> = new Set([114, 3802]);

/** Type parsers of `pg`, except that JSON exceeding the bounds is returned as text. */
export const boundedTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    const parse = pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown;
    if (!JSON_OIDS.has(oid) || format === 'binary') return parse;
    return (text: string) => (findExcess(text, bounds) === undefined ? parse(text) : text);
  }) as pg.CustomTypesConfig['getTypeParser'],
};

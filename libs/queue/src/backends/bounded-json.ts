import pg from 'pg';
import { excessOf, type JsonBounds } from '../json-scan.js';

/** More than any queue takes; what passes these is not worth parsing, only to be refused. */
const bounds: JsonBounds = { bytes: 64 * 1024 * 1024, values: 20_000, depth: 64 };

const JSON_TYPES: ReadonlySet<number> = new Set([114, 3802]);

/** Reads JSON columns as `pg` does, except that what passes the bounds comes as its text. */
export const boundedTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    const parse = pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown;
    if (!JSON_TYPES.has(oid) || format === 'binary') return parse;
    return (text: string) => (excessOf(text, bounds) === undefined ? parse(text) : text);
  }) as pg.CustomTypesConfig['getTypeParser'],
};

import { describe, expect, it } from 'vitest';
import { resolveToolName } from './resolve-tool-name.js';

const offered = new Set(['read_file', 'to_json', 'analysis']);

describe('tool name of a call', () => {
  it.each([
    ['read_file', 'read_file'],
    [' read_file\n', 'read_file'],
    ['to_json', 'to_json'],
    ['analysis', 'analysis'],
    ['read_filejson', 'read_file'],
    ['read_file json', 'read_file'],
    ['read_filecommentary', 'read_file'],
    ['read_file<|channel|>json', 'read_file'],
    ['read_file<|channel|>commentary', 'read_file'],
    ['read_file<|constrain|>', 'read_file'],
    ['functions.read_file', 'read_file'],
    ['<|channel|>commentary to=functions.read_file', 'read_file'],
    ['to_jsonjson', 'to_json'],
  ])('%j resolves to %s', (received, meant) => {
    expect(resolveToolName(received, offered)).toBe(meant);
  });

  it.each([
    '',
    'delete_filejson',
    'read_file_json',
    'read_files',
    'READ_FILE',
    'commentary',
    'json',
    'x<|channel|>json',
  ])('%j is returned unchanged', (received) => {
    expect(resolveToolName(received, offered)).toBe(received);
  });
});

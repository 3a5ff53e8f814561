import type { ChatMessage, ToolDefinition } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import { countMessageTokens, countToolTokens } from './count-prompt-tokens.js';
import { countSharedTokens } from './count-shared-tokens.js';
import { countTokens } from './count-tokens.js';

const system: ChatMessage = { role: 'system', content: 'You work through a list.' };
const user: ChatMessage = { role: 'user', content: 'Start with the current todo.' };
const read: ToolDefinition = { name: 'read_file', description: 'Reads a file.', parameters: {} };
const write: ToolDefinition = { name: 'write_file', description: 'Writes a file.', parameters: {} };

describe('the tokens that two prompts share', () => {
  it('are the whole earlier prompt if messages were only added', () => {
    const earlier = { tools: [read], messages: [system, user] };
    const later = {
      tools: [{ ...read }],
      messages: [system, { ...user }, { role: 'assistant', content: 'ok' } as const],
    };
    expect(countSharedTokens(earlier, later)).toBe(
      countToolTokens(read) + countMessageTokens(system) + countMessageTokens(user),
    );
  });

  it('end inside the first message that differs', () => {
    const other: ChatMessage = { ...system, content: 'You work through a list of files.' };
    expect(countSharedTokens({ tools: [], messages: [system, user] }, { tools: [], messages: [other, user] })).toBe(
      countTokens('You work through a list'),
    );
  });

  it('end at the first tool that differs, because the tools come before the messages', () => {
    const messages = [system, user];
    expect(countSharedTokens({ tools: [read], messages }, { tools: [read, write], messages })).toBe(
      countToolTokens(read),
    );
    expect(countSharedTokens({ tools: [write], messages }, { tools: [read], messages })).toBe(0);
  });
});

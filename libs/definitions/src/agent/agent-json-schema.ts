import { agentDefinitionSchema } from '@phaseline/domain';
import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Keys that every definition requires, even if it extends another one. */
const ALWAYS_REQUIRED = ['name'];

/**
 * Generates the JSON Schema of `agent.yaml` and `agent.json` from the schema that validates them, plus what is resolved
 * before validation: `extends`, and keys with a `+` that add to a list.
 */
export function generateAgentJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(agentDefinitionSchema, { io: 'input', unrepresentable: 'any' });
  const required = schema.required ?? [];
  const {
    skills: _skills,
    'skills+': _moreSkills,
    promptTexts: _promptTexts,
    verifiers: _verifiers,
    'verifiers+': _moreVerifiers,
    guards: _guards,
    'guards+': _moreGuards,
    schemas: _schemas,
    ...properties
  } = withAdditions(schema).properties ?? {};
  const basedOn = {
    type: 'string',
    description:
      'The definition that this one extends: the name of an agent, or a file in the same folder such as ./base.yaml.',
  } as const;
  return {
    ...schema,
    title: 'Agent',
    properties: {
      $schema: { type: 'string' },
      extends: basedOn,
      $extends: basedOn,
      ...properties,
      'instructions+': {
        type: 'string',
        description: 'A file in the same folder that is appended to the inherited instructions.',
      },
    },
    required: ALWAYS_REQUIRED,
    anyOf: [{ required: ['extends'] }, { required: ['$extends'] }, { required }],
  };
}

/** Adds a `key+` for each list, and removes nested `required`, because the extended definition may have those keys. */
function withAdditions(schema: JsonSchema): JsonSchema {
  const { properties, required: _required, ...rest } = schema;
  if (!properties) return schema;
  const added = Object.entries(properties).flatMap(([key, value]): [string, JsonSchema][] => {
    const inner = value as JsonSchema;
    if (inner.type !== 'array') return [[key, withAdditions(inner)]];
    const { default: _default, ...addition } = inner;
    return [
      [key, inner],
      [`${key}+`, { ...addition, description: `Adds to the inherited ${key}.` }],
    ];
  });
  return { ...rest, properties: Object.fromEntries(added) };
}

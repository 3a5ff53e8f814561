import { agentDefinitionSchema } from '@phaseline/domain';
import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** What every definition has to say for itself, and what it may leave to the one that it extends. */
const OWN = ['name'];

/**
 * The JSON Schema of `agent.yaml` and `agent.json`, made from the schema that they are checked by, with what comes before
 * that check: `extends`, and keys with a `+` that add to a list.
 */
export function agentJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(agentDefinitionSchema, { io: 'input', unrepresentable: 'any' });
  const required = schema.required ?? [];
  const { skills: _writtenBySystem, ...properties } = withAdditions(schema).properties ?? {};
  const basedOn = {
    type: 'string',
    description:
      'Another agent by its name, or a file beside this one such as ./base.yaml, which this definition is laid over.',
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
        description: 'A file beside this one that is added to the instructions of what is extended.',
      },
    },
    required: OWN,
    anyOf: [{ required: ['extends'] }, { required: ['$extends'] }, { required }],
  };
}

/** With a `key+` beside each key whose value is a list, and nothing required below the top: what is extended may have it. */
function withAdditions(schema: JsonSchema): JsonSchema {
  const { properties, required: _required, ...rest } = schema;
  if (!properties) return schema;
  const added = Object.entries(properties).flatMap(([key, value]): [string, JsonSchema][] => {
    const inner = value as JsonSchema;
    if (inner.type !== 'array') return [[key, withAdditions(inner)]];
    const { default: _default, ...addition } = inner;
    return [
      [key, inner],
      [`${key}+`, { ...addition, description: `Adds to ${key} of what is extended.` }],
    ];
  });
  return { ...rest, properties: Object.fromEntries(added) };
}

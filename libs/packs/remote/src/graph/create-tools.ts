import { graphSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import type { Value } from '@phaseline/graph';
import { createRequirementId } from './find-tools.js';
import { runOnGraph, type GraphHost } from './graph-host.js';
import { normaliseWords } from './similarity.js';

export function createRequirementNode(host: GraphHost): ToolRun<typeof graphSpec, 'create_requirement_node'> {
  return async (context, { properties, rid = '', ...fields }) => {
    const id = rid === '' ? createRequirementId('REQ', fields.text) : rid;
    const content = await runOnGraph(host, context, 1, ({ graph, limits }) =>
      graph.change(context, limits, async (ask) => {
        const known = await ask('MATCH (r:Requirement) WHERE r.rid = $rid RETURN r.text', { rid: id });
        const [text] = known.rows[0] ?? [];
        if (known.rows.length > 0) {
          if (normaliseWords(String(text)) === normaliseWords(fields.text)) return `${id} is already in the graph.`;
          throw new ToolError('id_taken', `The id ${id} belongs to another requirement: ${String(text)}. Omit the id.`);
        }
        const all: Record<string, Value> = {
          ...properties,
          ...withoutUndefined(fields),
          rid: id,
          createdBy: context.jobId,
        };
        await ask('MERGE (r:Requirement {rid: $rid}) SET r += $all', { rid: id, all });
        return `Created (:Requirement {rid: '${id}'}).`;
      }),
    );
    return { content };
  };
}

export function createFulfillmentRelationship(
  host: GraphHost,
): ToolRun<typeof graphSpec, 'create_fulfillment_relationship'> {
  return async (context, { rid, target, targetLabel, type, confidence, evidence }) => {
    const content = await runOnGraph(host, context, 10, ({ graph, limits }) =>
      graph.change(context, limits, async (ask) => {
        const ends = `MATCH (r:Requirement) WHERE r.rid = $rid MATCH (x:${targetLabel}) WHERE x.name = $target`;
        const found = await ask(`${ends} RETURN count(*) AS count`, { rid, target });
        const [count] = found.rows[0] ?? [0];
        if (count === 0)
          throw new ToolError(
            'no_such_node',
            `There is no requirement ${rid}, or no ${targetLabel} named '${target}'. Find the correct names first.`,
          );
        const opposite = type === 'FULFILLED_BY' ? 'NOT_FULFILLED_BY' : 'FULFILLED_BY';
        const takenBack = await ask(
          `${ends} MATCH (r)-[old:${opposite}]->(x) WITH old, 1 AS one DELETE old RETURN count(one) AS count`,
          { rid, target },
        );
        await ask(
          `${ends} MERGE (r)-[f:${type}]->(x) SET f.confidence = $confidence, f.evidence = $evidence, f.createdBy = $job`,
          { rid, target, confidence, evidence, job: context.jobId },
        );
        const [takenBackCount] = takenBack.rows[0] ?? [0];
        return `(${rid})-[:${type}]->(${target}) is in the graph.${takenBackCount === 0 ? '' : ` ${opposite} was removed.`}`;
      }),
    );
    return { content };
  };
}

function withoutUndefined(values: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Value] => entry[1] !== undefined));
}

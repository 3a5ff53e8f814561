import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const examples = fileURLToPath(new URL('../../examples/', import.meta.url));

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<'summary' | 'cause' | 'command', string>>;
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: { readonly type: string; readonly uid: string };
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
}

export interface Board {
  readonly uid: string;
  readonly title: string;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly Panel[];
}

export interface ScaledObjectDocument {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly triggers: readonly { readonly name: string; readonly metadata: Readonly<Record<string, string>> }[];
  };
}

export const boardFiles = ['overview.json', 'jobs-models-money.json'] as const;
export const workers = ['strategic-worker', 'tactical-worker', 'tool-runner'] as const;

export async function readYaml(path: string): Promise<unknown> {
  return parse(await readFile(`${examples}${path}`, 'utf8'));
}

/** Reads the alert rules. */
export async function readRules(): Promise<readonly Rule[]> {
  const { groups } = (await readYaml('prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

export async function readBoard(name: (typeof boardFiles)[number]): Promise<Board> {
  return JSON.parse(await readFile(`${examples}grafana/${name}`, 'utf8')) as Board;
}

export async function readScaledObject(name: (typeof workers)[number]): Promise<ScaledObjectDocument> {
  return (await readYaml(`keda/${name}.yaml`)) as ScaledObjectDocument;
}

/** Returns all expressions of the examples with the place where each is used. */
export async function listExpressions(): Promise<readonly { readonly place: string; readonly expr: string }[]> {
  const rules = (await readRules()).map(({ alert, expr }) => ({ place: alert, expr }));
  const boards = await Promise.all(boardFiles.map(readBoard));
  const panels = boards.flatMap(({ panels: all, title }) =>
    all.flatMap((panel) => (panel.targets ?? []).map(({ expr }) => ({ place: `${title} / ${panel.title}`, expr }))),
  );
  const scaled = await Promise.all(workers.map(readScaledObject));
  const triggers = scaled.flatMap(({ metadata, spec }) =>
    spec.triggers.map(({ name, metadata: { query = '' } }) => ({ place: `${metadata.name} / ${name}`, expr: query })),
  );
  return [...rules, ...panels, ...triggers];
}

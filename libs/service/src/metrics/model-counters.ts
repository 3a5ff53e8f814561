import type { Counter, Histogram, Registry } from 'prom-client';
import { createCounter, createHistogram } from './create-metric.js';
import { KnownValues } from './known-values.js';
import type { LogEvent, LogEventOf } from './log-event.js';

/** Number of model profiles with their own series. */
const MAX_MODELS = 50;
const MICRO_USD_PER_USD = 1_000_000;
/** Label of calls whose profile the recorded event does not name. */
const UNKNOWN_MODEL = '(unknown)';

/** Counts steps, model calls, tokens and money by model profile. */
export class ModelCounters {
  private readonly models = new KnownValues(MAX_MODELS);
  private readonly steps: Counter;
  private readonly calls: Counter<'model' | 'outcome'>;
  private readonly seconds: Histogram<'model'>;
  private readonly tokens: Counter<'model' | 'kind'>;
  private readonly cost: Counter<'model'>;

  constructor(registry: Registry) {
    this.steps = createCounter(registry, 'phaseline_steps_total', 'Steps: answers of models that continue a phase.');
    this.calls = createCounter(
      registry,
      'phaseline_model_calls_total',
      'Model calls that ended, by model profile and outcome: answered or failed.',
      ['model', 'outcome'],
    );
    this.seconds = createHistogram(registry, 'phaseline_model_call_seconds', 'Duration of answered model calls.', [
      'model',
    ]);
    this.tokens = createCounter(
      registry,
      'phaseline_model_tokens_total',
      'Tokens of answered model calls, by kind: input (without the next two), cached (input that the server had cached), cache_write (input that it wrote into its cache, if it says so) or output.',
      ['model', 'kind'],
    );
    this.cost = createCounter(
      registry,
      'phaseline_model_cost_usd_total',
      'Cost of answered model calls in US dollars.',
      ['model'],
    );
  }

  /** Counts the events of one commit in one stream. */
  count(events: readonly LogEvent[]): void {
    for (const event of events) {
      if (event.type === 'ModelResponded') this.steps.inc();
      if (isAnswer(event)) this.countAnswer(event.data);
      if (event.type === 'ModelCallFailed') this.countFailure(event.data.model);
    }
    if (endsWithUnnamedFailure(events)) this.calls.inc({ model: UNKNOWN_MODEL, outcome: 'failed' });
  }

  private countAnswer({ model: name, usage, costMicroUsd, durationMs }: Answer['data']): void {
    const model = this.models.bound(name);
    this.calls.inc({ model, outcome: 'answered' });
    this.seconds.observe({ model }, durationMs / 1000);
    const { inputTokens, cachedInputTokens, cacheWriteInputTokens = 0 } = usage;
    this.tokens.inc({ model, kind: 'input' }, Math.max(0, inputTokens - cachedInputTokens - cacheWriteInputTokens));
    this.tokens.inc({ model, kind: 'cached' }, cachedInputTokens);
    this.tokens.inc({ model, kind: 'cache_write' }, cacheWriteInputTokens);
    this.tokens.inc({ model, kind: 'output' }, usage.outputTokens);
    this.cost.inc({ model }, costMicroUsd / MICRO_USD_PER_USD);
  }

  private countFailure(model: string): void {
    this.calls.inc({ model: this.models.bound(model), outcome: 'failed' });
  }
}

type Answer = LogEventOf<'ModelResponded' | 'ConversationSummarised' | 'JudgeEnded' | 'ReflectionRecorded'>;

const answers: ReadonlySet<string> = new Set<Answer['type']>([
  'ModelResponded',
  'ConversationSummarised',
  'JudgeEnded',
  'ReflectionRecorded',
]);

function isAnswer(event: LogEvent): event is Answer {
  return answers.has(event.type);
}

/** A failed attempt that may be charged and ends its phase is recorded only by the end of the phase. */
function endsWithUnnamedFailure(events: readonly LogEvent[]): boolean {
  const hasFailed = events.some(({ type, data }) => type === 'PhaseFailed' && data.code === 'model_failed');
  return hasFailed && events.every(({ type }) => type !== 'ModelCallFailed');
}

import type { ModelTimeouts } from '@phaseline/model';
import type { ConfiguredModel, ModelCatalogue } from '@phaseline/execution';
import type { Progress } from '@phaseline/service';

/**
 * Grace in milliseconds after the timeouts at which the model client gives up by itself; a call that is silent for
 * longer is stuck.
 */
const GRACE_MS = 10_000;

/**
 * Wraps models so that they report progress whenever their servers send something. A slow model that streams makes
 * progress with every byte; one that is silent for longer than its profile allows does not.
 */
export function watchModels(models: ModelCatalogue, progress: Progress): ModelCatalogue {
  return {
    find: async (name) => {
      const found = await models.find(name);
      return found && watchModel(found, progress);
    },
  };
}

function watchModel(configured: ConfiguredModel, progress: Progress): ConfiguredModel {
  const { model, profile } = configured;
  const limits = limitsOf(profile.timeouts);
  return {
    ...configured,
    model: {
      ...model,
      complete: (request, options) =>
        progress.runPart(`waits for the model ${profile.name}`, limits.firstByteMs, () =>
          model.complete(request, {
            ...options,
            onBytes: () => {
              progress.setLimit(limits.idleMs);
              options.onBytes?.();
            },
            onRetry: (notice) => {
              progress.setLimit(notice.delayMs + limits.firstByteMs);
              options.onRetry?.(notice);
            },
          }),
        ),
    },
  };
}

function limitsOf({ firstByteMs, idleMs, callMs }: ModelTimeouts): { firstByteMs: number; idleMs: number } {
  return { firstByteMs: Math.min(firstByteMs, callMs) + GRACE_MS, idleMs: Math.min(idleMs, callMs) + GRACE_MS };
}

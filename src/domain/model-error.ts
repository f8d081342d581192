import { AppError } from '#src/domain/app-error.ts';
import type { ModelUsage } from '#src/domain/ports/models.ts';

/** `model.output_invalid`: a model worked and was paid, and its answer cannot be used. The step records what it cost. */
export class ModelError extends AppError {
  readonly usage: ModelUsage;

  constructor(detail: string, usage: ModelUsage) {
    super('model.output_invalid', detail);
    this.usage = usage;
  }
}

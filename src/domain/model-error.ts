import { AppError } from '#src/domain/app-error.ts';
import type { ModelUsage } from '#src/domain/ports/models.ts';

/** `model.output_invalid`: the answer of a model cannot be used. Carries its usage, which the step records. */
export class ModelError extends AppError {
  readonly usage: ModelUsage;

  constructor(detail: string, usage: ModelUsage) {
    super('model.output_invalid', detail);
    this.usage = usage;
  }
}

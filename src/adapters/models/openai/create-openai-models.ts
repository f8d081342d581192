import type { OpenAiSettings } from '#src/adapters/models/openai/settings.ts';
import { createOpenAiTextEmbedder } from '#src/adapters/models/openai/text-embedder.ts';
import { createVisionDescriber } from '#src/adapters/models/openai/vision-describer.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { Models } from '#src/domain/ports/models.ts';

/** Describer and text vectors of an OpenAI-compatible server. Libraries load and connections open on first use. */
export function createOpenAiModels(
  settings: OpenAiSettings,
  codec: Pick<ImageCodec, 'forModel'>,
): Pick<Models, 'describer' | 'text'> {
  return { describer: createVisionDescriber(settings, codec), text: createOpenAiTextEmbedder(settings) };
}

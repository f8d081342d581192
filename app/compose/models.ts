import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { createModels, type ModelsConfig } from '#src/adapters/models/create-models.ts';
import type { Config } from '#src/config/config.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { Models } from '#src/domain/ports/models.ts';

/** Models that read, describe and embed. Loads nothing heavy before the first use. */
export interface Readers {
  readonly images: ImageCodec;
  readonly models: Models;
}

/** Settings of the OpenAI-compatible server. Empty when none is configured. */
export function openAiOf({ models }: Config): Pick<ModelsConfig, 'openai'> {
  const { openAiKey, openAiBaseUrl, visionModel, chatModel, embeddingModel } = models;
  if (openAiKey === null) return {};
  const baseUrl = openAiBaseUrl === null ? {} : { baseUrl: openAiBaseUrl };
  return {
    openai: { apiKey: openAiKey, ...baseUrl, visionModel, chatModel, embeddingModel, timeoutMs: 60_000, maxRetries: 2 },
  };
}

export function createReaders(config: Config): Readers {
  const images = createImageCodec();
  return { images, models: createModels({ codec: images, ...openAiOf(config) }) };
}

import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { createModels, type ModelsConfig } from '#src/adapters/models/create-models.ts';
import { missingSentencePackages } from '#src/adapters/models/local/semantic/packages.ts';
import type { Config } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import { createTracedFetch } from '#src/adapters/traces/traced-fetch.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';
import { noTracer } from '#src/domain/traces/no-tracer.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { Models } from '#src/domain/ports/models.ts';

/** Models that read, describe and embed. Loads nothing heavy before the first use. */
export interface Readers {
  readonly images: ImageCodec;
  readonly models: Models;
}

/** Settings of the OpenAI-compatible server. Empty when none is configured. */
export function openAiOf({ models }: Config, tracer: Tracer): Pick<ModelsConfig, 'openai'> {
  const { openAiKey, openAiBaseUrl, visionModel, chatModel, embeddingModel } = models;
  if (openAiKey === null) return {};
  const baseUrl = openAiBaseUrl === null ? {} : { baseUrl: openAiBaseUrl };
  const names = { visionModel, chatModel, embeddingModel };
  const traced = tracer === noTracer ? {} : { fetch: createTracedFetch(tracer) };
  return { openai: { apiKey: openAiKey, ...baseUrl, ...names, timeoutMs: 60_000, maxRetries: 2, ...traced } };
}

/** Throws ConfigError for semantic embeddings without the optional packages. */
export function refuseMissingEmbeddings({ models }: Config): void {
  const missing = models.embeddings === 'semantic' ? missingSentencePackages() : [];
  if (missing.length === 0) return;
  throw new ConfigError(
    `EMBEDDINGS=semantic needs optional packages. Run npm install --save-exact ${missing.join(' ')}, or unset EMBEDDINGS.`,
  );
}

/** Fields of the index of vectors, for the models that embed. */
export function vectorsOf({ search }: Pick<Config, 'search'>, { text, image }: Pick<Models, 'text' | 'image'>) {
  return { text: text.dimensions, image: image.dimensions, quantization: search.quantization };
}

export function createReaders(
  config: Config,
  tracer: Tracer = noTracer,
  images: ImageCodec = createImageCodec(),
): Readers {
  return {
    images,
    models: createModels({ codec: images, ...openAiOf(config, tracer), embeddings: config.models.embeddings }),
  };
}

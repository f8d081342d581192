import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { createChatModel, createNoChatModel } from '#src/adapters/models/openai/chat-model.ts';
import { createSemanticEmbedder } from '#src/adapters/models/local/semantic/semantic-embedder.ts';
import type { OpenAiSettings } from '#src/adapters/models/openai/settings.ts';
import { createOpenAiTextEmbedder } from '#src/adapters/models/openai/text-embedder.ts';
import { createVisionDescriber } from '#src/adapters/models/openai/vision-describer.ts';
import type { FeatureWeight } from '#src/domain/embed-locally/lexical-vector.ts';
import type { ChatModel } from '#src/domain/ports/chat-model.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { Models } from '#src/domain/ports/models.ts';

export interface ModelsConfig {
  /** Makes images small enough to send. */
  readonly codec: Pick<ImageCodec, 'forModel'>;
  /** With a key, an OpenAI-compatible server describes and embeds text. Without one, local models do. */
  readonly openai?: OpenAiSettings;
  /** Weights of features in queries, for the local text vectors. */
  readonly queryWeight?: FeatureWeight;
  /** Local text vectors. `semantic` also replaces those of the server. Default: lexical. */
  readonly embeddings?: 'lexical' | 'semantic';
}

/** Creates the configured models. Image vectors are always local. Heavy libraries load on first use. */
export function createModels(config: ModelsConfig): Models {
  const { openai, codec, queryWeight, embeddings = 'lexical' } = config;
  const lexical = createLocalModels(queryWeight);
  const local = embeddings === 'semantic' ? { ...lexical, text: createSemanticEmbedder() } : lexical;
  if (openai === undefined || openai.apiKey === '') return local;
  return {
    describer: createVisionDescriber(openai, codec),
    text: embeddings === 'semantic' ? local.text : createOpenAiTextEmbedder(openai),
    image: local.image,
  };
}

/** Creates the configured text model. Without a key, every call throws `model.unavailable`. */
export function createChat(config: Pick<ModelsConfig, 'openai'>): ChatModel {
  if (config.openai === undefined || config.openai.apiKey === '') return createNoChatModel();
  return createChatModel(config.openai);
}

/** Labels of the models for `/health`, without addresses and credentials. */
export function modelLabels(models: Models): { describer: string; textEmbeddings: string; imageEmbeddings: string } {
  return { describer: models.describer.label, textEmbeddings: models.text.label, imageEmbeddings: models.image.label };
}

/** Common part of the three versions; their own types differ in parts that these tests do not read. */
export interface AiSdk {
  readonly DefaultChatTransport: new (options: { api: string; fetch: typeof fetch }) => AiTransport;
  readonly readUIMessageStream: (options: object) => AsyncIterable<any>;
}
export interface AiTransport {
  sendMessages(options: object): Promise<ReadableStream>;
  reconnectToStream(options: { chatId: string }): Promise<ReadableStream | null>;
}

export const aiSdks: readonly (readonly [string, () => Promise<AiSdk>])[] = [
  ['5', async () => (await import('ai5')) as unknown as AiSdk],
  ['6', async () => (await import('ai6')) as unknown as AiSdk],
  ['7', async () => (await import('ai')) as unknown as AiSdk],
];

export const userMessage = (text: string) => ({ id: 'm1', role: 'user', parts: [{ type: 'text', text }] });

/** The message that the stream ends with; what goes wrong on the way goes to `errors`, or is thrown. */
export async function readMessage(
  { readUIMessageStream }: AiSdk,
  stream: ReadableStream,
  errors?: unknown[],
): Promise<any> {
  const onError = (error: unknown): void => {
    if (errors === undefined) throw error;
    errors.push(error);
  };
  let last: any = null;
  for await (const message of readUIMessageStream({ stream, onError })) last = message;
  return last;
}

export async function readAnswer(
  sdk: AiSdk,
  options: { api: string; fetch: typeof fetch },
  question: string,
): Promise<any> {
  const stream = await new sdk.DefaultChatTransport(options).sendMessages({
    trigger: 'submit-message',
    chatId: 'proof',
    messages: [userMessage(question)],
    abortSignal: undefined,
  });
  return readMessage(sdk, stream);
}

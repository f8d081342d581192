import { follow, type EventOptions, type StreamEvent } from './events.ts';
import { request, type AnyInput, type AnyRow, type CallOptions, type Connection } from './request.ts';
import { rows } from './rows.gen.ts';
import type { Execution, Rows } from './types.gen.ts';
import { acknowledge, upload, type Uploaded, type UploadOptions } from './upload.ts';
import { wait, type WaitOptions } from './wait.ts';

export { EventReader, type StreamEvent } from './events.ts';
export { items, pages } from './pages.ts';
export { Problem, type ProblemCode } from './problem.ts';
export { mediaTypeOf, sha256Of, type Uploaded, type UploadOptions } from './upload.ts';
export { verifyWebhook, WebhookError, type WebhookEvent } from './webhook.ts';
export type {
  BoundedCount,
  Box,
  Document,
  DocumentCard,
  DocumentDetail,
  DocumentFacets,
  DocumentPage,
  DocumentRecord,
  DocumentWithRun,
  EventDescriptionUpserted,
  EventExecutionCompleted,
  EventOcrCreated,
  EventReset,
  EventRunCompleted,
  EventRunCreated,
  EventRunStepChanged,
  EventSegmentationCreated,
  EventWorkflowEmitted,
  Execution,
  ExecutionEvent,
  ExecutionRow,
  Highlight,
  LatestRun,
  OcrResult,
  OcrSummary,
  PageWarning,
  PresignedUpload,
  ProblemBody,
  ReceiptCheck,
  RecordCell,
  RecordType,
  Run,
  RunDetail,
  RunReceipt,
  RunSummary,
  SegmentationResult,
  SimilarDocument,
  Tag,
  UpdatedDocument,
  Upload,
  Workflow,
  ErrorCode,
  Rows,
} from './types.gen.ts';

export interface ClientOptions {
  /** Address of the server, such as https://inkgraph.example.com. */
  readonly baseUrl: string;
  /** A service key (`ink_svc_...`), or a workflow key (`ink_wf_...`), which uploads and follows its uploads only. */
  readonly apiKey: string;
  /** Times that a call is repeated when the server is busy or away. Default: 4. */
  readonly retries?: number;
  /** In place of the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

type KindOf<Row> = Row extends readonly [string, string, infer Kind] ? Kind : never;
type Call<Input, Options, Reply> = object extends Input
  ? (input?: Input, options?: Options) => Reply
  : (input: Input, options?: Options) => Reply;
type MethodOf<Row, Types> = Types extends { input: infer Input; reply: infer Reply }
  ? KindOf<Row> extends 'events'
    ? Call<Input, EventOptions, AsyncGenerator<StreamEvent<Reply>, void, undefined>>
    : Call<Input, CallOptions, Promise<Reply>>
  : never;

/** A method for each row of the service API. Input is one object: ids of the path, and fields of query or body. */
type Methods = {
  readonly [Family in keyof Rows]: {
    readonly [Row in keyof Rows[Family]]: Row extends keyof (typeof rows)[Family]
      ? MethodOf<(typeof rows)[Family][Row], Rows[Family][Row]>
      : never;
  };
};

export interface Client extends Methods {
  /** Address of the server. */
  readonly baseUrl: string;
  /** Uploads a file and makes its document. */
  upload(file: Blob | Uint8Array<ArrayBuffer>, options?: UploadOptions): Promise<Uploaded>;
  /** Ends an upload that broke off after `onStored`. Repeated, it returns the same document. */
  acknowledge(objectKey: string, options?: CallOptions): Promise<Uploaded>;
  /** Waits until an execution has ended, or only waits for people. */
  wait(execution: string | { readonly id: string }, options?: WaitOptions): Promise<Execution>;
  /** Response of a row as it comes, for other formats than JSON: `raw('records', 'query', { recordType, format: 'csv' })`. */
  raw<Family extends keyof Rows, Row extends keyof Rows[Family] & string>(
    family: Family,
    row: Row,
    input: Rows[Family][Row] extends { input: infer Input } ? Input : never,
    options?: CallOptions,
  ): Promise<Response>;
}

function methodOf(connection: Connection, row: AnyRow) {
  const [, , kind] = row;
  if (kind === 'events')
    return (input: AnyInput = {}, options: EventOptions = {}) => follow(connection, row, input, options);
  return async (input: AnyInput = {}, options: CallOptions = {}): Promise<unknown> => {
    const response = await request(connection, row, input, options);
    return kind === 'file' ? response : response.json();
  };
}

/** A client of the service API. Calls throw `Problem`, whose message says what is wrong and what to do. */
export function createClient({ baseUrl, apiKey, retries = 4, fetch }: ClientOptions): Client {
  // A browser's fetch wants to be called without an object.
  const plain: typeof globalThis.fetch = fetch ?? ((url, options) => globalThis.fetch(url, options));
  const connection: Connection = { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey, retries, fetch: plain };
  const families = Object.entries(rows).map(([family, of]) => [
    family,
    Object.fromEntries(Object.entries<AnyRow>(of).map(([name, row]) => [name, methodOf(connection, row)])),
  ]);
  const rowOf = (family: string, row: string): AnyRow =>
    (rows as Readonly<Record<string, Readonly<Record<string, AnyRow>>>>)[family]?.[row] ?? ['GET', '/', 'json'];
  return {
    ...(Object.fromEntries(families) as Methods),
    baseUrl: connection.baseUrl,
    upload: (file, options) => upload(connection, file, options),
    acknowledge: (objectKey, options) => acknowledge(connection, objectKey, options),
    wait: (execution, options) => wait(connection, execution, options),
    raw: (family, row, input, options) => request(connection, rowOf(family, row), input as AnyInput, options),
  };
}

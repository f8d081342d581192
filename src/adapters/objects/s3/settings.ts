/** Access to a bucket of an S3-compatible service. */
export interface S3Settings {
  readonly bucket: string;
  /** null: Amazon S3 in `region`. */
  readonly endpoint: string | null;
  /** Address of the service for uploaders and browsers. null: `endpoint`. */
  readonly publicUrl: string | null;
  readonly region: string;
  /** null: the credentials of the machine, as the AWS SDK finds them. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** True: addresses have the bucket in their path instead of in their host name. */
  readonly forcePathStyle: boolean;
  /**
   * True: upload addresses of a service that can are good for one upload, and uploaders send `If-None-Match: *`. False: a PUT needs no
   * header; what a second one stores is not read.
   */
  readonly signWriteOnce: boolean;
}

/** Abilities of a service, tried at the start: S3-compatible services differ in all of them. */
export interface S3Abilities {
  /** It refuses to replace an object when a request says `If-None-Match: *`. */
  readonly writeOnce: boolean;
  /** It refuses to copy bytes that are not those that the request names. */
  readonly copyIfMatch: boolean;
  /** It deletes many objects in one request. */
  readonly batchDelete: boolean;
  /** It deletes uploads that were never acknowledged, by a rule of the bucket. */
  readonly lifecycle: boolean;
  /** It lets pages of the dashboard upload, by a rule of the bucket. */
  readonly cors: boolean;
}

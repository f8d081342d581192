import sharp from 'sharp';

const uint = (value: number, length = 4): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
};
const box = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([uint(body.length + 8), Buffer.from(type, 'latin1'), body]);
};
const versioned = (type: string, version: number, ...parts: Buffer[]): Buffer =>
  box(type, uint(version, 1), uint(0, 3), ...parts);

interface Grid {
  readonly width: number;
  readonly height: number;
  /** Tiles in a row, and rows. */
  readonly across: number;
  /** Counter-clockwise quarter turns. */
  readonly turns?: number;
}

/**
 * An AVIF of about 500 bytes: a white page of `side` x `side` pixels, put together of `across` x `across` tiles. All are one tile, which the
 * file has once.
 */
export async function tiledAvif(side: number, across: number, tileSide = side / across): Promise<Buffer> {
  const white = { create: { width: tileSide, height: tileSide, channels: 3, background: '#ffffff' } } as const;
  return tiled(await sharp(white).avif({ effort: 0 }).toBuffer(), { width: side, height: side, across });
}

/** A page of one tile again and again, in the coding of the tile. Source: ISO/IEC 23008-12 §6.6.2.3. */
export function tiled(tile: Buffer, { width, height, across, turns = 0 }: Grid): Buffer {
  const [coding, config] = tile.includes('hvcC') ? ['hvc1', 'hvcC'] : ['av01', 'av1C'];
  const pixels = tile.subarray(tile.indexOf('mdat') + 4);
  const taken = (type: string): Buffer => {
    const at = tile.indexOf(type) - 4;
    return tile.subarray(at, at + tile.readUInt32BE(at));
  };
  const [page, part] = [uint(1, 2), uint(2, 2)];
  const grid = Buffer.concat([
    uint(0, 1),
    uint(1, 1),
    uint(across - 1, 1),
    uint(across - 1, 1),
    uint(width),
    uint(height),
  ]);
  const named = (item: Buffer, type: string): Buffer =>
    versioned('infe', 2, item, uint(0, 2), Buffer.from(`${type}\0`, 'latin1'));
  const placed = (item: Buffer, at: number, length: number): Buffer =>
    Buffer.concat([item, uint(0, 2), uint(1, 2), uint(at), uint(length)]);
  const tiles = Array.from({ length: across ** 2 }, () => part);
  const size = versioned('ispe', 0, uint(width), uint(height));
  const properties = box('ipco', taken(config), taken('ispe'), size, taken('pixi'), box('irot', uint(turns, 1)));
  const [ofPage, ofPart] = [Buffer.from([3, 3, 4, 5]), Buffer.from([3, 0x81, 2, 4])];
  const associations = versioned('ipma', 0, uint(2), page, ofPage, part, ofPart);
  const type = taken('ftyp');
  const meta = (start: number): Buffer =>
    versioned(
      'meta',
      0,
      taken('hdlr'),
      versioned('pitm', 0, page),
      versioned('iinf', 0, uint(2, 2), named(page, 'grid'), named(part, coding)),
      versioned('iref', 0, box('dimg', page, uint(tiles.length, 2), ...tiles)),
      box('iprp', properties, associations),
      versioned(
        'iloc',
        0,
        Buffer.from([0x44, 0]),
        uint(2, 2),
        placed(page, start, grid.length),
        placed(part, start + grid.length, pixels.length),
      ),
    );
  const start = type.length + meta(0).length + 8;
  return Buffer.concat([type, meta(start), box('mdat', grid, pixels)]);
}

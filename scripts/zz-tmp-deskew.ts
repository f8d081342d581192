import { readFile } from 'node:fs/promises';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { createTesseractEngine } from '#src/adapters/ocr/tesseract-engine.ts';
import { characterErrorRate } from '#src/domain/documents/text-distance.ts';
import { inkOf } from '#src/domain/segment-locally/ink.ts';
import { skewOf } from '#src/domain/segment-locally/skew.ts';
import { paperOf } from '#src/domain/segment-locally/paper.ts';
const images=createImageCodec(); const ocr=createTesseractEngine({language:'eng',workers:1});
const truth=JSON.parse(await readFile('/work/main/test/fixtures/ground-truth.json','utf8'));
const rows=truth.documents??truth;
for (const row of rows) {
  const bytes=await readFile('/work/main/test/fixtures/'+row.file);
  const page=await images.page(bytes,0);
  const text=row.text.split('\f')[0];
  const t=performance.now(); const raster=await images.raster(page,1200); const s=skewOf(inkOf(raster),15); const ms=performance.now()-t;
  console.log(row.file, 'skew', s, 'paper', paperOf(raster).map(v=>v.toFixed(3)).join(' '), ms.toFixed(0)+'ms');
  for (const angle of [4,-9]) {
    const turned=await images.transform(page,{rotate:angle});
    const found=skewOf(inkOf(await images.raster(turned,1200)),15);
    let out='  turned '+angle+' found '+found;
    if (angle===4) {
      const straight=found===0?turned:await images.transform(turned,{rotate:-found});
      const cer=async(p:any)=>characterErrorRate(text,(await ocr.recognize(p,{timeoutMs:60000})).text).toFixed(3);
      out+=` CER straight ${await cer(page)} turned ${await cer(turned)} deskewed ${await cer(straight)}`;
      const self = s===0?page:await images.transform(page,{rotate:-s});
      if (s!==0) out+=` self-deskewed ${await cer(self)}`;
    }
    console.log(out);
  }
}
await ocr.close();

import type { SchemaTexts } from './common.ts'

/** Parts of messages, as they are stored and as they are sent. */
export const PART_TEXTS: SchemaTexts = {
  Part: ['A part of a message; `type` says which.'],
  OtherPart: [
    'A part of a type that a later release wrote.',
    { type: 'What the part is; show what you know, and skip it.' },
  ],
  TextPart: ['Words, as a part of a message.', { type: 'Which part it is: `text`.', text: 'The words as they are.' }],
  ImagePart: ['A picture, as a part of a message.', { type: 'Which part it is: `image`.' }],
  FilePart: [
    'A file, as a part of a message.',
    {
      type: 'Which part it is: `file`.',
      read: 'What was read of it as text, as much as the model is told; absent: it has no text that can be read.',
      'read.text': 'The text, or its beginning.',
      'read.mark': 'What the marks around the text hold when the model is told it.',
      'read.length': 'UTF-16 units of the whole text.',
    },
  ],
  DataPart: [
    'A value, as a part of a message.',
    { type: 'Which part it is: `data`.', data: 'Any JSON value, for programs.' },
  ],
  FileOfPart: [
    'A file of the workspace that a part names.',
    {
      path: 'Path of the file in the workspace of the session.',
      media_type: 'Media type of the file, such as `image/png`.',
      name: 'Name of the file for people.',
      size: 'Size of the file in bytes.',
      untrusted:
        'Present when others may have written it: what is read of it is fenced, and calls are decided on with more care.',
    },
  ],
  PartInput: [
    'A part of a message as it is sent; `type` says which. Bytes of it go into the workspace of the session.',
  ],
  TextPartInput: [
    'Words, as a part of a message.',
    { type: 'Which part it is: `text`.', text: 'The words as they are.' },
  ],
  ImagePartInput: [
    'A PNG, JPEG, GIF or WebP image. A model that sees is shown it; another is told its name, type and size.',
    {
      type: 'Which part it is: `image`.',
      image_url:
        'An http or https address, which is fetched once, or a data: URL; also as an object, as chat completions have it.',
      'image_url.url': 'An http or https address, which is fetched once, or a data: URL.',
      'image_url.detail': 'Taken from clients of chat completions, and not looked at.',
    },
  ],
  FilePartInput: [
    'A file. Text, pages, PDF and Office documents are read, and the model is told their text.',
    { type: 'Which part it is: `file`.', read: 'What a stored part has; not looked at.' },
  ],
  DataPartInput: ['Any JSON value.', { type: 'Which part it is: `data`.', data: 'The value, for the model as JSON.' }],
  FileOfInput: [
    'Where the bytes of a part are; exactly one of the fields says so.',
    {
      data: 'The bytes in base64.',
      url: 'An http or https address, which is fetched once, or a data: URL.',
      path: 'Path of a file that is in the workspace of the session already.',
      media_type: 'Media type of the file; not given: what the bytes, the address or the data: URL say.',
      name: 'Name of the file for people; not given: that of the address.',
      size: 'What a stored part has; not looked at.',
      untrusted: 'What a stored part has; not looked at.',
    },
  ],
}

const KIB = 1_024
const MIB = 1_024 * KIB

/** Limits of messages that have parts, and of the bytes that they bring along. */
export const PART_LIMITS = {
  /** Parts of one message, and characters of the media type that one of them names. */
  perMessageMax: 200,
  mediaTypeCharsMax: 127,
  /** Bytes of one part, and of all parts of one request. */
  partBytesMax: 10 * MIB,
  requestBytesMax: 20 * MIB,
  /** A body whose parts hold so much in base64, beside what every body may have. */
  bodyBytesMax: 28 * MIB,
  /** Addresses that one request has fetched, and how long all of them may take. */
  addressesMax: 20,
  fetchMs: 30_000,
  /** Share of what a model's window leaves to messages that the text of attached files may take, and the most of it in UTF-16 units. */
  windowShare: 0.5,
  textCharsMax: 400_000,
  /** Images that one model call is sent, newest first, and the bytes of all of them. */
  imagesPerCallMax: 20,
  imageBytesPerCallMax: 20 * MIB,
  /** What an image takes of a window: 1,024 × 1,024 pixels in high detail. Source: OpenAI, "Images and vision", calculating costs. */
  imageTokens: 765,
  /** Files of one name in a workspace that are told apart by numbers. */
  sameNameMax: 1_000,
} as const

package parley.examples;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * An event of Parley in the envelope of EventBridge. {@code docs/events.md} describes the details.
 *
 * @param name the event's name, such as {@code MessageReceived}
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record Event(
    @JsonProperty(value = "detail-type", required = true) String name,
    @JsonProperty(required = true) JsonNode detail) {

  private static final ObjectMapper JSON = new ObjectMapper();

  static Event parse(String json) throws JsonProcessingException {
    return JSON.readValue(json, Event.class);
  }

  /** Stays the same if Parley publishes the event again. The ID of EventBridge's envelope does not. */
  String id() {
    return required("id");
  }

  String required(String field) {
    return detail.required(field).asText();
  }

  /** Returns a field, or null if it is absent. */
  String optional(String pointer) {
    return detail.at(pointer).textValue();
  }
}
